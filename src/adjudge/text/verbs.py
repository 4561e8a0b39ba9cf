"""English verbs by closed lists and endings: what form a word may have. Context is read in tokens.py.

The lists hold what news text is made of; a verb that is missing is still seen by its -ed or -ing.
"""

from __future__ import annotations

from functools import cache


def listed(text: str) -> frozenset[str]:
    """The words of a list that is written as running text."""
    return frozenset(text.split())


BE = listed("is are was were am be been being isn't aren't wasn't weren't")
HAVE = listed("has have had having hasn't haven't hadn't")
DO = listed("do does did don't doesn't didn't")
MODALS = listed(
    "will would can could may might must shall should cannot won't wouldn't can't couldn't mustn't shouldn't"
)
NON_FINITE_AUXILIARIES = listed("be been being having")
AUXILIARIES = (BE | HAVE | DO | MODALS) - NON_FINITE_AUXILIARIES
_CONTRACTED = ("n't", "'re", "'ve", "'ll", "'m", "'d")
_PRONOUN_IS = listed("it's he's she's that's there's who's what's here's let's")

# Past forms that are no participle: finite wherever they stand.
PAST_ONLY = listed(
    """went came became began took gave grew knew threw flew blew drew wrote drove rode rose spoke stole broke
    chose froze forgot hid bit ate drank sang sank rang swam shook fell saw did wore tore swore woke ran
    withdrew overcame overthrew undertook underwent forbade foresaw arose awoke bore shrank sprang strode
    mistook overran outgrew"""
)
# Past forms that are participles too.
PAST_OR_PARTICIPLE = listed(
    """said told made held kept sold paid laid lost won built sent spent left felt found led met meant heard
    stood understood thought brought bought caught taught fought sought put set cut hit hurt let cost read
    spread shut got sat had dealt slept swept wept crept lent bent burnt learnt dug hung clung stuck swung
    spun struck split slid sped fled bled bred shone shed quit burst cast forecast broadcast withstood misled
    rebuilt shot beat bid fed ground wound bound lit dreamt spelt spilt lay unwound upheld withheld overheard
    resold repaid oversaw cast rid"""
)
PARTICIPLES = listed(
    """been done gone seen taken given known shown grown thrown flown blown drawn written driven ridden risen
    spoken stolen broken chosen frozen forgotten hidden bitten eaten drunk sung sunk rung swum shaken fallen
    beaten born borne worn torn sworn woken begun withdrawn undertaken forbidden mistaken proven overthrown
    stricken sewn sown hewn"""
)
_NOT_ED = listed(
    """hundred indeed speed need feed seed weed greed bleed breed shed bed red sacred naked kindred wicked
    rugged united mohammed ahmed mohamed muhammed aged infrared embed exceed succeed proceed biped creed deed
    steed reed alfred fred wilfred winifred hatred"""
)
_NOT_ING = listed(
    """during including following according regarding concerning excluding notwithstanding pending morning
    evening king thing something nothing anything everything spring string ring wing sing bring sling swing
    ceiling wedding beijing sterling viking darling sibling outing inning lightning sting cling ping
    willing beijing reading boeing earring herring shilling"""
)

# Verbs that are seldom nouns: their base and -s forms count as verbs.
SURE_VERBS = listed(
    """say tell think believe know argue insist suggest admit add explain confirm deny acknowledge reveal
    predict complain conclude agree decide learn recall testify declare maintain indicate understand realise
    realize discover propose allege assert contend concede emphasise emphasize expect want seem appear become
    begin remain continue keep hold give get make take bring send sell buy pay lose choose speak write read
    hear see eat drink sit stand lie lay fly drive ride draw grow throw teach seek catch build spend lend
    borrow send follow allow let enable require need prevent avoid refuse reject accept include contain
    involve concern affect suffer recover survive die kill injure arrest accuse convict sentence jail free
    release rescue save destroy damage collapse explode erupt occur happen arrive depart enter leave meet
    join belong depend rely consist exist own employ hire dismiss resign retire elect appoint approve oppose
    support criticise criticize praise blame condemn defend protect threaten warn urge ask beg invite persuade
    convince remind inform assure advise encourage discourage force compel oblige ban forbid prohibit impose
    enforce introduce abolish adopt amend announce publish broadcast describe compare combine connect
    separate divide unite create produce provide supply deliver receive obtain achieve fail succeed manage
    try attempt struggle tend prefer enjoy love hate dislike wish worry regret apologise apologize forgive
    thank greet serve train teach educate compete defeat beat win score celebrate mourn bury marry divorce
    raise reduce increase decrease double triple shrink expand extend limit exceed reach pass cross climb
    descend sink swim drown burn freeze melt boil cook feed treat cure heal infect vaccinate examine
    investigate analyse analyze calculate measure weigh estimate assess evaluate judge identify recognise
    recognize distinguish prove disprove demonstrate illustrate reflect represent symbolise imply mean
    define translate interpret pronounce spell sign seal open close shut lock unlock cover uncover hide
    expose hang pull push carry lift drop throw gather collect store hoard waste spill spread scatter
    distribute share split break repair mend fix rebuild restore replace remove eliminate erase delete
    install operate function perform complete finish end stop start launch resume suspend delay postpone
    cancel arrange organise organize prepare settle resolve solve mediate negotiate sue prosecute appeal
    acquit overturn uphold grant award earn gain inherit invest trade export import tax fine cheat steal rob
    smuggle hijack kidnap rape murder torture wound shoot stab bomb shell invade occupy seize capture
    surrender retreat withdraw advance deploy patrol guard search inspect monitor detect track chase pursue
    flee escape evacuate vanish disappear emerge return go come walk run move travel commute migrate live
    dwell reside inhabit stay wait sleep wake dream rest work play sing dance act paint design invent
    develop improve worsen deteriorate weaken strengthen harden soften rise fall drift flow pour leak flood
    erode evaporate overtake outnumber outlive qualify disqualify vow pledge swear promise threaten hope
    fear doubt trust suspect wonder guess assume presume suppose imagine remember forget ignore neglect
    notice observe watch witness look listen talk chat discuss debate report claim state note mention refer
    quote cite reply respond answer react shout scream cry weep laugh smile does goes has cost cause lead
    turn call name set put cut hit hurt help use show find feel plan offer demand order vote strike fight
    attack face test visit change drive drown ruin draw lower sound apply handle cope"""
)
# Of those, the ones that are nouns as well: they count as verbs only where the words around them say so.
NOUN_TOO = listed(
    """say state note report claim plan offer demand order vote strike fight attack face test visit change
    talk look watch answer reply cry call name set cut hit hurt help use show find feel hope fear doubt trust
    suspect wonder guess promise pledge vow debate quote cause lead turn cost rise fall drift flow leak
    flood play work rest dream sleep wait stay walk run move travel return escape chase search patrol guard
    advance retreat bomb shell wound murder torture fine tax trade export import award grant appeal repair
    break split share waste store drop pull push carry cover lock seal sign open close end stop start launch
    delay finish function increase decrease double raise limit reach pass cross climb score win defeat train
    love hate wish worry regret support blame praise ban force need free release rescue sentence jail judge
    measure design paint act dance sound need supply broadcast flow drive draw ride stand"""
)


@cache
def form(word: str) -> str:
    """The verb form that a lower-case word may have, or "" where it looks like none.

    One of "auxiliary", "past" (finite), "ed" (past or participle), "participle", "present" (-s), "base", "ing".
    """
    if word in AUXILIARIES or word in _PRONOUN_IS or (word.endswith(_CONTRACTED) and len(word) > 3):
        return "auxiliary"
    if word in PAST_ONLY:
        return "past"
    if word in PAST_OR_PARTICIPLE:
        return "ed"
    if word in PARTICIPLES:
        return "participle"
    if word.endswith("ed") and len(word) > 3 and word not in _NOT_ED and "-" not in word:
        return "ed"
    if word.endswith("ing") and len(word) > 4 and word not in _NOT_ING and "-" not in word:
        return "ing"
    if word in SURE_VERBS:
        return "base"
    return "present" if base_of(word) else ""


@cache
def base_of(word: str) -> str:
    """The listed verb whose -s form a word is, or "": "tries" gives "try"."""
    guesses = []
    if word.endswith("ies"):
        guesses.append(word[:-3] + "y")
    if word.endswith("es"):
        guesses.append(word[:-2])
    if word.endswith("s"):
        guesses.append(word[:-1])
    return next((guess for guess in guesses if guess in SURE_VERBS), "")
