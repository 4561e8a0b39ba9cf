"""What assessors are asked, and everything they answered. Measures of the answers live in measures/judged/.

model       tasks, events, acknowledgements: the words all others use
protocol    what is asked and on which scale (protocols/*.toml; protocol_file reads them)
frozen      what a task keeps of the texts, and what changed since
pyramid     pyramids and peer annotations (pyramid_answers: as answers)
store       the store: opening, writing, reading (database, schema, migrations, appending, tasks, encoding, writer)
people      who judges; names can be erased (anonymous: names that stand for nobody)
records     everything out to JSONL and in again (disguise: under pseudonyms);  backup  copies while others write
changes     what `adjudge check` says of judgments whose texts changed
intake      what importers yield goes to the folder and the store
formats/    one module per format people have
"""
