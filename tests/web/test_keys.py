"""Keys of answers: each on one button, and a digit never stands for another number."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judgments.kinds.keys import TAKEN, keys_of, question_keys
from adjudge.judgments.protocol import load_protocol, protocol_names

CASES = {
    ("0", "1-5", "6-10", ">10"): ("0", "12345", "6789", ">"),
    ("1", "2", "3", "4", "5"): ("1", "2", "3", "4", "5"),
    ("0", "1", "2", "3", "4"): ("0", "1", "2", "3", "4"),
    tuple(map(str, range(1, 11))): (*map(str, range(1, 10)), "0"),
    tuple(map(str, range(11))): (*map(str, range(10)), "a"),
    ("all", "most", "some", "hardly any", "none"): ("1", "2", "3", "4", "5"),
    ("0 %", "20 %", "100 %"): ("1", "2", "3"),
    ("none", "1", "2", "3 or more"): ("n", "1", "2", "3"),
    ("1 (poor)", "2", "3 (good)"): ("1", "2", "3"),
    ("1", "1-2", "bad"): ("1", "2", "a"),
    ("1-2", "1"): ("2", "1"),
    ("<5", "5-9", "10-19", "≥20"): ("<", "56789", "a", "c"),
    ("yes", "no"): ("1", "2"),
}


@pytest.mark.parametrize(("labels", "keys"), CASES.items())
def test_labels_and_their_keys(labels: tuple[str, ...], keys: tuple[str, ...]) -> None:
    assert keys_of(labels) == keys


NUMBERS = st.one_of(
    st.integers(0, 30).map(str),
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: f"{min(ends)}-{max(ends)}"),
)


@given(st.lists(st.one_of(NUMBERS, st.text(max_size=6)), min_size=2, max_size=14, unique=True))
def test_no_key_comes_twice_and_no_digit_lies(labels: list[str]) -> None:
    keys = keys_of(labels)
    used = "".join(keys)
    assert len(used) == len(set(used))
    assert not set(used) & set(TAKEN)
    for label, own in zip(labels, keys, strict=True):
        if found := re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", label, re.ASCII):
            first, last = int(found[1]), int(found[2] or found[1])
            for key in own:
                assert not key.isdigit() or first <= int(key) <= last or (key, label) == ("0", "10")


@pytest.mark.parametrize("name", protocol_names())
def test_every_answer_of_the_shipped_protocols_has_a_key(name: str) -> None:
    for question in load_protocol(name).questions:
        assert all(question_keys(question))
