"""Readers, one module a format; a reader opens files, and neither writes to an evaluation nor scores.

A reader is a function `read(paths, ..., **options) -> Iterator[Item]`. It yields items: where something stood in the
input (`FILE:LINE`), and what it is: a row of the collection, a description of a measure and its scores, a task and its
answers. Topics, systems, documents and summaries come before the tasks that name them, and a task before its answers.
What was not taken is a `LeftOut` with the reason, what was changed on the way a `Noted`; reasons are counted, so they
name no single thing. `Evaluation.take` and `Evaluation.take_judgments` carry an import out.

recognise    which of these a file is                           parquet, frames  rows of Parquet files, and in memory
linefiles    one text a line                                    textfolder   a file per text
records      records in JSON, CSV, TSV, Parquet and memory      scoretable   scores made elsewhere
duc          DUC's documents and summaries                      sacrerouge   texts and metrics
rouge155     ROUGE-1.5.5's settings, summaries and output       summeval     texts and ratings
ducview      pyramids and peer annotations; ducview_write       nist, see    NIST's tables of judgments
crowd        ratings and preferences of crowds                  preferences  records of preferences
batches      pairs for a crowd platform, out; batch_answers, sentence_answers: in

Shared: files (files, lines, cells, places), markup (tags and entities), answers (tasks and answers).
"""
