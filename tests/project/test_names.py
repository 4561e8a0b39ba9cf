"""What the documentation names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "adjudge"


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_0-9]+\.(?:py|js|css)|(?:[a-z_]+/)+)`", text))
    assert len(named) > 20
    places = (PACKAGE, PACKAGE / "web" / "static", ROOT)
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []
