"""The model's files are known by their digests."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.errors import DataError
from adjudge.text import embeddings


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # sha256sum of "x" and "y"
    known = {
        "config.json": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "model.safetensors": "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa",
    }
    monkeypatch.setattr(embeddings, "DIGESTS", known)
    (tmp_path / "config.json").write_text("x")
    (tmp_path / "model.safetensors").write_text("y")
    embeddings.check_files(tmp_path)
    (tmp_path / "model.safetensors").write_text("z")
    with pytest.raises(
        DataError, match=r"model\.safetensors is not all-MiniLM-L6-v2 as Adjudge knows it: install"
    ):
        embeddings.check_files(tmp_path)
