"""Closed word lists for the rules of edu_rules.py: what opens a clause, who speaks, what takes an infinitive."""

from __future__ import annotations

from adjudge.text.verbs import listed

FINITE_HEADS = listed(
    "because although though whereas unless until till if when whenever while whilst since once as after before whether lest"
)
PAIR_HEADS = {"so": "that", "now": "that", "provided": "that", "given": "that", "in": "case", "as": "if"}
ING_HEADS = listed("after before while when since by without despite until besides")
PARTICIPLE_HEADS = listed("when while if once until unless although though as")
HEAD_MODIFIERS = listed(
    "even just only shortly soon long immediately especially particularly mainly partly largely right not"
)
NOT_AS = listed("such as so same well much many soon far known described")
NOT_AFTER_AS = listed("of well much many soon long to a-whole")

SAYING = listed(
    """say says said tell tells told announce announces announced report reports reported claim claims claimed
    argue argues argued warn warns warned insist insists insisted believe believes believed think thinks
    thought hope hopes hoped fear fears feared suggest suggests suggested admit admits admitted add adds added
    explain explains explained note notes noted state states stated confirm confirms confirmed acknowledge
    acknowledges acknowledged reveal reveals revealed show shows showed find finds found estimate estimates
    estimated predict predicts predicted complain complains complained stress stresses stressed conclude
    concludes concluded know knows knew learn learns learned declare declares declared maintain maintains
    maintained indicate indicates indicated reply replies replied write writes wrote understand understands
    understood feel feels felt realise realised realize realized discover discovers discovered vow vows vowed
    hint hints hinted doubt doubts doubted allege alleges alleged assert asserts asserted contend contends
    contended concede concedes conceded emphasise emphasised observe observes observed testify testifies
    testified recall recalls recalled agree agrees agreed promise promises promised decide decides decided
    expect expects expected mean means meant prove proves proved ask asks asked inform informed assure assured
    remind reminded"""
)
WITH_HEARER = listed("told tell tells warned warn warns informed assured reminded asked promised")
WITHOUT_THAT = listed(
    """say says said believe believes believed think thinks thought hope hopes hoped fear fears feared claim
    claims claimed insist insists insisted know knows knew warn warns warned argue argues argued admit admits
    admitted suggest suggests suggested announced feel feels felt expects expect predict predicts predicted
    estimate estimates estimated report reports reported confirmed added acknowledged concede conceded"""
)
TAKES_INFINITIVE = listed(
    """able unable ability agree agreed agrees agreeing aim aimed aims allow allowed allows allowing appeal
    appeals appear appeared appears ask asked asks attempt attempted attempts attempting authority ban battle
    beg begged began begin begins bid bids bound call called calls campaign chance chose choose choice claim
    claims claimed compel continue continued continues dare day days deal decide decided decides decision
    declined declines demand demanded demands deserve determined difficult due duty eager easier easy
    effort efforts enable enabled enables encourage encouraged enough expect expected expects fail failed
    fails failure first force forced forces forcing free fight forget forgot going happy hard have had has
    help helped helps hope hoped hopes hour hours impossible inclined instruct instructed intend intended
    intends invite invited last learn like likely long made manage managed month months money motion move
    need needed needs offer offered offers only opportunity order ordered orders ought permission permit
    permitted persuade persuaded plan planned plans pledge pledged pledges power prefer prepare prepared
    pressure promise promised promises proposal proposed ready refuse refused refuses refusal reluctant
    remains request require required requires resources right scheduled seek seem seemed seems set
    sought start started starts steps struggle struggled struggling supposed tell tells temptation tend tends
    threat threaten threatened threatens time told tried tries try trying unlikely urge urged urges urging
    used using vote voted votes vow vowed wait waited waiting want wanted wants warn warned way week weeks
    willing wish work year years"""
)
