"""What an organiser can take away: all answers as records or as a table."""

from __future__ import annotations

import csv
import io
import json

from fastapi import HTTPException, Request
from fastapi.responses import Response

from adjudge.judgments.store.encoding import to_json
from adjudge.judgments.store.records import records
from adjudge.web.api import visitor
from adjudge.web.pages.organising import results_closed
from adjudge.web.site import Site

FORMS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}


def export(form: str, request: Request) -> Response:
    """Closed to an organiser who still judges: the answers say whose text is whose."""
    site: Site = request.app.state.site
    if form not in FORMS:
        raise HTTPException(404)
    if results_closed(site, visitor(request).person):
        raise HTTPException(403)
    text = all_records(site) if form == "jsonl" else table(site)
    headers = {"Content-Disposition": f'attachment; filename="judgments.{form}"'}
    return Response(text, media_type=f"{FORMS[form]}; charset=utf-8", headers=headers)


def all_records(site: Site) -> str:
    """As `adjudge judgments export` writes them; people under their pseudonyms."""
    return "".join(to_json(record) + "\n" for record in records(site.store, pseudonyms=True))


def table(site: Site) -> str:
    """A row per answer that counts now."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ["topic", "system", "reference", "left", "right", "protocol", "assessor", "question", "answer"]
    )
    pseudonyms = {person.id: person.pseudonym for person in site.store.people.all()}
    for judged in site.store.current():
        task = judged.task
        for question, event in sorted(judged.answers.items()):
            rows.writerow(
                [
                    task.topic,
                    task.peer.system if task.peer else "",
                    task.reference.system if task.reference else "",
                    json.dumps(task.left) if task.left else "",
                    json.dumps(task.right) if task.right else "",
                    task.protocol,
                    pseudonyms[event.assessor],
                    question,
                    json.dumps(event.answer, ensure_ascii=False),
                ]
            )
    return out.getvalue()
