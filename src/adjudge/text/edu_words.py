"""Closed word lists for the rules of edu_rules.py: what opens a clause, says, or takes an infinitive."""

from __future__ import annotations

from adjudge.text.verbs import listed

# What may stand before a word that opens a clause and goes with it: "and when", "that if".
CONNECTIVES = listed("and but or nor yet that")
FINITE_HEADS = listed(
    """because although though whereas unless until till if when whenever while whilst since once as after
    before whether lest"""
)
PAIR_HEADS = {"so": "that", "now": "that", "provided": "that", "given": "that", "in": "case", "as": "if"}
ING_HEADS = listed("after before while when since by without despite until besides")
PARTICIPLE_HEADS = listed("when while if once until unless although though as")
HEAD_MODIFIERS = listed(
    "even just only shortly soon long immediately especially particularly mainly partly largely right not"
)
TIME_COUNTS = listed(
    "about around nearly almost a an one two three four five six seven eight nine ten few several some many"
)
TIME_UNITS = listed(
    "second seconds minute minutes hour hours day days week weeks month months year years decades"
)
NOT_BEFORE_CLAUSE = listed("of for from with about at into to than like")
NOT_AS = listed("such as so same well much many soon far known described")
NOT_AFTER_AS = listed("of well much many soon long to")

SAYING = listed(
    """acknowledge acknowledged acknowledges add added adds admit admits admitted agree agreed agrees
    allege alleged alleges announce announced announces argue argued argues ask asked asks assert
    asserted asserts assure assured believe believed believes claim claimed claims complain complained
    complains concede conceded concedes conclude concluded concludes confirm confirmed confirms contend
    contended contends decide decided decides declare declared declares determine determined determines
    discover discovered discovers doubt doubted doubts emphasise emphasised estimate estimated estimates
    expect expected expects explain explained explains fear feared fears feel feels felt find finds
    found heard hint hinted hints hope hoped hopes indicate indicated indicates inform informed insist
    insisted insists knew know known knows learn learned learns maintain maintained maintains mean means
    meant note noted notes observe observed observes predict predicted predicts promise promised
    promises prove proved proves realise realised realize realized recall recalled recalls remind
    reminded replied replies reply report reported reports reveal revealed reveals said say says show
    showed shown shows state stated states stress stressed stresses suggest suggested suggests tell
    tells testified testifies testify think thinks thought told understand understands understood vow
    vowed vows warn warned warns worried worries worry write writes written wrote"""
)
WITH_HEARER = listed("told tell tells warned warn warns informed assured reminded asked promised")
WITHOUT_THAT = listed(
    """acknowledge acknowledged acknowledges added admit admits admitted allege alleged alleges announce
    announced announces argue argued argues assert asserted asserts believe believed believes claim
    claimed claims complain complained complains concede conceded concedes conclude concluded concludes
    confirm confirmed confirms contend contended contends declare declared declares determine determined
    determines discover discovered discovers emphasise emphasised estimate estimated estimates expect
    expects explain explained explains fear feared fears feel feels felt found hint hinted hints hope
    hoped hopes indicate indicated indicates insist insisted insists knew know knows learn learned
    learns noted predict predicted predicts promised realise realised realize realized recalled replied
    replies reply report reported reports reveal revealed reveals said say says showed stated stressed
    suggest suggested suggests testified testifies testify think thinks thought understands understood
    vow vowed vows warn warned warns worried worries worry"""
)
TAKES_INFINITIVE = listed(
    """ability able about agree agreed agreeing agrees aim aimed aims allow allowed allowing allows
    ambition appeal appeals appear appeared appears ask asked asks attempt attempted attempting attempts
    authority ban banned battle beg began begged begin begins best bid bids biggest bound call called
    calls campaign capacity chance choice choose chose claim claimed claims commitment compel continue
    continued continues courage course dare day days deadline deal decide decided decides decision
    declined declines demand demanded demands deserve designed desire destined determination determined
    difficult due duty eager easier easy effort efforts enable enabled enables encourage encouraged
    enough entitled expect expected expects fail failed fails failure fifth fight first force forced
    forces forcing forget forgot fourth free freedom funds glad going had happy hard has have help
    helped helps hope hoped hopes hour hours impossible inability incentive inclined instruct instructed
    intend intended intends invitation invite invited keen largest last law laws learn legislation
    licence license licensed like likely long made manage managed mission money month months motion
    motivated motivation move need needed needs next obligation obliged offer offered offers oldest only
    opportunity order ordered orders ought permission permit permitted persuade persuaded place plan
    planned plans pleased pledge pledged pledges power prefer prepare prepared pressure promise promised
    promises proposal proposed race readiness ready reason reasons refusal refuse refused refuses
    reluctance reluctant remains request require required requires resources right room rules rush
    scheduled scheme scramble second seek seem seemed seems set sought start started starts steps
    strength struggle struggled struggling supposed tell tells temptation tend tendency tends third
    threat threaten threatened threatens time told track tried tries try trying unable unlikely urge
    urged urges urging used using vote voted votes vow vowed wait waited waiting want wanted wants warn
    warned way week weeks willing willingness wish work year years youngest"""
)
