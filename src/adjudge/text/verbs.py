"""English verbs by closed lists and endings: which form a word may have, whatever stands around it.

The lists hold what news text is made of; a verb that is missing is still seen by its -ed or -ing.
"""

from __future__ import annotations

from functools import lru_cache


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

# Verbs whose base and -s forms are known; others are seen by their -ed and -ing alone.
VERBS = listed(
    """abolish accept accommodate accompany accumulate accuse achieve acknowledge acquit act adapt add
    adjust administer admit adopt advance advise affect affirm afford aggravate agree aid align allege
    alleviate allow alter amend amplify analyse analyze announce answer anticipate apologise apologize
    appeal appear apply appoint approve argue arise arrange arrest arrive ask assemble assert assess
    assist associate assume assure attach attack attain attempt attend attract attribute authorise
    authorize avoid await award back ban bar base batter beat become beg begin believe belong blame
    blast bless boast boil bolt bomb boost borrow bounce breach break bring broadcast build burn bury
    buy calculate call calm cancel capture carry catch cater cause celebrate challenge change charge
    chase chat cheat check choose cite claim clarify clash classify clear climb cling close coincide
    collaborate collapse collect collide combine come comfort command commemorate commence comment
    commit communicate commute compare compel compete complain complete comply comprise compromise
    conceal concede concentrate concern conclude condemn conduct confess confirm confiscate conform
    confront confuse congratulate connect conquer consider consist conspire constitute construct consult
    consume contact contain contemplate contend contest continue contradict contribute control convert
    convict convince cook cool cooperate coordinate cope correspond cost count counteract cover crash
    create criticise criticize cross crush cry cultivate curb cure curtail cut damage dance deal debate
    deceive decide declare decline decrease dedicate deem defeat defend define delay delegate delete
    deliver demand demolish demonstrate denounce deny depart depend depict deploy deport deprive derive
    descend describe deserve design destroy detain detect deter deteriorate determine devastate develop
    devise devote dictate die differ diminish direct disagree disappear disappoint disclose discourage
    discover discuss disguise dislike dismantle dismiss dispatch disprove dispute disqualify disrupt
    dissolve distinguish distort distribute disturb divert divide divorce dominate donate double doubt
    drag drain draw dream drift drink drive drop drown dwell earn ease eat educate elect elevate
    eliminate embark embarrass embrace emerge emphasise emphasize employ empower enable enclose
    encounter encourage end endanger endorse endure enforce engage enhance enjoy enlist enrich ensure
    enter entertain entitle envisage equip erase erode erupt escape estimate evacuate evade evaluate
    evaporate evoke evolve exaggerate examine exceed exchange exclude excuse execute exert exhaust exist
    expand expect expel experience explain explode exploit explore export expose extend face facilitate
    fade fail fall favor favour fear feature feed feel fetch fight file fill finance find fine finish
    fit fix flee flock flood flourish flow fly focus follow forbid force forget forgive foster free
    freeze frustrate fuel fulfil fulfill function gain gasp gather generate get give go govern grab
    grant greet grow guard guess hail halt hamper handle hang happen harass harden harm hate heal hear
    help hesitate hide highlight hijack hire hit hoard hold honor honour hope host humiliate hunt hurl
    hurry hurt identify ignore illustrate imagine implement imply import impose impress imprison improve
    incite include incorporate increase incur indicate induce infect inflict influence inform inhabit
    inherit initiate inject injure insert insist inspect inspire install instruct integrate intend
    intensify interact interfere interpret interrupt intervene interview intimidate introduce invade
    invent invest investigate invite invoke involve isolate issue jail join judge justify keep kick
    kidnap kill knock know lack land last laugh launch lay lead leak lean learn leave legalise legalize
    lend lessen let lie lift limit link listen live lobby locate lock look loom lose love lower lure
    maintain make manage march mark marry match matter mature mean measure mediate meet melt mend
    mention merge migrate miss mobilise mobilize mock modify monitor motivate mount mourn move multiply
    murder name narrow need neglect negotiate nominate note notice obey oblige observe obtain occupy
    occur offer open operate oppose order organise organize oust outline outlive outnumber oversee
    overtake overthrow overturn owe own paint participate pass patrol pay penetrate perform persist
    persuade pick pile place plan plant play plead please pledge plot plunge portray pose possess post
    postpone pour practise praise preach precede predict prefer prepare preserve press presume prevail
    prevent produce prohibit prolong promise promote prompt pronounce propose prosecute protect protest
    prove provide provoke publish pull punish purchase pursue push put qualify question quote race raise
    rally rank rape ratify reach react read realise realize reassure rebuild recall receive reckon
    recognise recognize recommend reconcile record recover recruit reduce refer reflect refuse regain
    regard register regret regulate reinforce reiterate reject relate relax release relieve rely remain
    remark remember remind remove render renew renounce reopen repair repay repeat repel replace reply
    report represent request require rescue resemble resent reside resign resist resolve resort respond
    rest restore restrain restrict result resume retain retaliate retire retreat retrieve return reunite
    reveal revise revive reward ride rip rise risk rob ruin rule run rush sabotage sack sacrifice sail
    satisfy save say scan scare scatter score scrap scream screen seal search secure see seek seem seize
    select sell send sentence separate serve set settle shake shape share shell shift shine shock shoot
    shout show shrink shut sign sing sink sit slam slash sleep slide slip slow smash smile smoke smuggle
    snatch soar soften solve sound spark speak speculate spell spend spill spit split sponsor spot
    spread squeeze stab stabilise stabilize stage stagger stall stand stare start state stay steal steer
    stem step sting stir stop store strand strengthen stress stretch strike strip strive stroll struggle
    stumble submit subsidise substitute succeed sue suffer suggest summon supply support suppose surge
    surpass surprise surrender surround survive suspect suspend sustain swallow swap swear sweep swim
    switch symbolise sympathise tackle take talk tap target tax teach tear tease tell tempt tend
    terminate test testify thank think threaten thrive throw thump tie tighten tolerate topple torture
    total touch trace track trade train transfer transform translate transmit transport trap travel
    treat tremble trick trigger triple trust try tug tumble turn twist uncover undergo undermine
    understand undertake unite unlock unveil update uphold upset urge use vaccinate vanish vary veto vie
    view violate visit voice vote vow wage wait wake walk wander want warn waste watch weaken wear weave
    weep weigh welcome whisper widen wield win wipe wish withdraw witness wonder work worry worsen wound
    wrap wreck write yell yield"""
)
# Of those, the ones that are nouns as well: they count as verbs only where the words around them say so.
NOUN_TOO = listed(
    """act advance aid answer appeal attack award back ban bar base batter blame blast boast bolt bomb
    boost bounce breach break broadcast call calm carry cause challenge change charge chase check claim
    clash clear climb close command comment compromise contact contest control cool cost count cover
    crash cross cry cut dance deal debate decline decrease defeat delay delegate demand design direct
    dispute double doubt drain draw dream drift drive drop ease embrace encounter end escape exchange
    excuse experience exploit export face fall fear feature feel fight file finance find fine finish fit
    flock flood flow focus force free fuel function gasp grab grant guard guess hail halt harm hate help
    highlight hit hope host hunt hurt import increase influence interview issue jail judge kick knock
    lack land last launch lead leak limit link lobby lock look love lure march mark match matter mature
    measure miss mock mount move murder name narrow need note offer open order outline own paint pass
    patrol pick pile place plan plant play pledge plot plunge post praise press promise protest pull
    purchase push question quote race raise rally rank reach record recruit regard register regret
    release remark repair reply report request rescue resort rest result retreat return reward ride rip
    rise risk rule run rush sacrifice sail scan score scrap screen seal search secure sentence set shape
    share shell shift shock show sign sleep slide slip slow smash smoke sound spark spit split sponsor
    spot stage stall stand start state stay stem step stop store strand stress stretch strike strip
    stroll substitute supply support surge surprise suspect swallow swap sweep switch talk tap target
    tax tear test tie torture total touch trace trade train transfer transport trap travel trick trigger
    trust tug turn twist update upset use veto view visit voice vote vow wage wait walk waste watch
    welcome win wish wonder work worry wound yield"""
)


@lru_cache(maxsize=2**16)
def form(word: str) -> str:
    """The verb form that a lower-case word may have, or "" where it looks like none.

    One of "auxiliary", "past" (finite), "ed" (past or participle), "participle", "present" (-s),
    "base" and "ing".
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
    if word in VERBS:
        return "base"
    return "present" if base_of(word) else ""


@lru_cache(maxsize=2**16)
def base_of(word: str) -> str:
    """The listed verb whose -s form a word is, or "": "tries" gives "try"."""
    guesses = []
    if word.endswith("ies"):
        guesses.append(word[:-3] + "y")
    if word.endswith("es"):
        guesses.append(word[:-2])
    if word.endswith("s"):
        guesses.append(word[:-1])
    return next((guess for guess in guesses if guess in VERBS), "")
