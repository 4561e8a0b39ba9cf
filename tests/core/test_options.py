"""Options are declared once: checking, text and back, the function's signature, the command."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.analyses import DECLARED, declaration
from adjudge.analyses.simulate import Simulate
from adjudge.core.errors import UsageError
from adjudge.core.options import Declared, declared, option, shared
from adjudge.core.phrases import Argument, spoken

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@dataclass(frozen=True, kw_only=True)
class Sample(Declared):
    NAME = "sample"

    how: Literal["one", "two"] = option("one", help="How.")
    words: str | Sequence[str] = option((), help="Words.")
    length: int | Literal["all"] | None = option(None, least=1, help="Length.")
    alpha: float = shared("alpha")
    name: str | None = option(None, help="A name.")
    quick: bool = option(False, help="Quick.")
    columns: Mapping[str, str] | None = option(None, help="Columns.")
    sizes: int | Sequence[int] = option((), least=1, help="Sizes.")
    share: float | str | None = option(None, help="A number, or a share.")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "how": st.sampled_from(["one", "two"]),
            "words": st.lists(TEXTS, min_size=1, max_size=3),
            "length": st.one_of(st.integers(1, 1000), st.just("all")),
            "alpha": st.sampled_from([0.1, 0.01, 1e-9]),
            "name": TEXTS,
            "quick": st.booleans(),
            "sizes": st.one_of(st.integers(1, 9), st.lists(st.integers(1, 99), min_size=1, max_size=3)),
            "share": st.one_of(st.floats(0.001, 9), st.just("5%")),
            "columns": st.dictionaries(st.sampled_from(["topic", "system"]), TEXTS, min_size=1),
        },
    )
)
def test_a_text_gives_the_declaration_back(asked: dict[str, Any]) -> None:
    made = Sample(**asked)
    assert Sample.parse(str(made)) == made
    assert Sample.parse(f"{made}|whatever:follows(x=1)") == made


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"how": "tow"}, 'how is "tow" (nearest: "two"); expected one of: one, two'),
        ({"how": 3}, "how is 3, expected one of: one, two"),
        ({"words": [1]}, "words is (1,), expected a text, or several"),
        ({"length": 0}, "length is 0, expected a whole number, 1 or more, or all"),
        ({"length": "al"}, 'length is "al", expected a whole number, 1 or more, or all'),
        ({"length": True}, "length is True, expected a whole number, 1 or more, or all"),
        ({"alpha": 1.0}, "alpha is 1, expected a number between 0 and 1"),
        ({"alpha": float("nan")}, "alpha is nan, expected a number between 0 and 1"),
        ({"alpha": None}, "alpha is None, expected a number between 0 and 1"),
        ({"sizes": (2, 0)}, "sizes is 0, expected a whole number, 1 or more"),
        ({"sizes": "1,,2"}, 'sizes is "", expected a whole number, 1 or more'),
        ({"sizes": 1.5}, "sizes is 1.5, expected a whole number, or several"),
        ({"share": True}, "share is True, expected a number"),
        ({"quick": "yes"}, 'quick is "yes", expected True or False'),
    ],
)
def test_what_an_option_does_not_take_is_one_line(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as refused:
        Sample(**asked)
    assert str(refused.value) == says
    assert spoken(refused.value.text, "command") == f"--{says}"


def test_numbers_may_come_as_texts() -> None:
    texts: Any = "2, 30", ("2", "30")
    assert Sample(sizes=texts[0]) == Sample(sizes=[2, 30]) == Sample(sizes=texts[1])
    assert Sample(share="0.5") == Sample(share=0.5)
    assert Sample(share="5%").share == "5%"


def test_a_signature_of_something_else_is_refused() -> None:
    with pytest.raises(UsageError, match="is no signature of sample"):
        Sample.parse("other(alpha=0.1)")
    with pytest.raises(UsageError, match='sample has no option "alpa"'):
        Sample.parse("sample(alpa=0.1)")


def test_an_argument_is_called_as_the_door_has_it() -> None:
    phrase = f"{Argument('at_random')} needs {Argument('judge', 'NAME')}: {{x}}"
    assert spoken(phrase, "python") == "at_random needs judge=NAME: {x}"
    assert spoken(phrase, "command") == "--at-random needs --judge NAME: {x}"


@pytest.mark.parametrize(
    ("argument", "python", "command"),
    [
        (Argument("transpose", True), "transpose=True", "--transpose"),
        (Argument("quotes", False), "quotes=False", "--no-quotes"),
        (
            Argument("leave_out", ["Mean", "b c"]),
            'leave_out=["Mean", "b c"]',
            "--leave-out Mean --leave-out 'b c'",
        ),
        (Argument("columns", {"topic": "id"}, flag="map"), 'columns={"topic": "id"}', "--map topic=id"),
    ],
)
def test_a_value_is_written_as_the_door_has_it(argument: Argument, python: str, command: str) -> None:
    error = UsageError(f"say {argument}")
    assert str(error) == f"say {python}"
    assert spoken(error.text, "command") == f"say {command}"


# Every analysis that is declared


@pytest.mark.parametrize("name", DECLARED)
def test_the_function_has_every_option_by_name_and_default(name: str) -> None:
    cls = declaration(name)
    function = getattr(adjudge, cls.FUNCTION or cls.NAME)
    parameters = inspect.signature(function).parameters
    assert next(iter(parameters)) == cls.SOURCE[0]
    assert set(parameters) == {cls.SOURCE[0], *declared(cls)}
    for option_name, (about, _) in declared(cls).items():
        assert parameters[option_name].default == getattr(cls(), option_name)
        assert f"    {option_name}: {spoken(about.help, 'python')}" in (function.__doc__ or "")
        assert all(spoken(about.help, door).endswith(".") for door in ("python", "command"))
    wrong = f"{option_name}x"
    with pytest.raises(TypeError, match=rf"has no option '{wrong}' \(nearest: .*\"{option_name}\""):
        function("x.csv", **{wrong: 1})


@pytest.mark.parametrize("name", DECLARED)
def test_completion_sees_every_option(name: str) -> None:
    rlcompleter = pytest.importorskip("rlcompleter")
    cls = declaration(name)
    called = cls.FUNCTION or cls.NAME
    assert f"adjudge.{called}(" in rlcompleter.Completer({"adjudge": adjudge}).attr_matches(
        f"adjudge.{called}"
    )
    assert set(inspect.signature(getattr(adjudge, called)).parameters) >= set(declared(cls))


def test_the_report_shows_its_options_as_the_analyses_do() -> None:
    parameters = inspect.signature(adjudge.report).parameters
    assert {"source", "out", "measures", "test", "correct", "alpha", "paper"} <= set(parameters)
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters.values())


def test_a_type_checker_sees_every_option(tmp_path: Path) -> None:
    calls = []
    for name in DECLARED:
        cls = declaration(name)
        called = cls.FUNCTION or cls.NAME
        given = ", ".join(f"{each}={getattr(cls(), each)!r}" for each in declared(cls))
        method = called if cls.METHOD is None else cls.METHOD
        calls += [f"adjudge.{called}('x.csv', {given}).headline()", f"adjudge.{called}('x.csv', no_option=1)"]
        calls += [f"e.{method}({given}).to_frame()", f"e.{method}(no_option=1)"] if method else []
    file = tmp_path / "user.py"
    file.write_text("\n".join(["import adjudge", "e = adjudge.open('x')", *calls]) + "\n", encoding="utf-8")
    # Other packages' types say nothing of our options, and reading them takes most of the time.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nfollow_imports = skip\n[mypy-adjudge.*]\nfollow_imports = normal\n")
    command = [sys.executable, "-m", "mypy", "--config-file", str(config)]
    command += ["--cache-dir", str(tmp_path / "cache"), "--no-error-summary", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    wrong = [line for line in done.stdout.splitlines() if "error" in line]
    assert len(wrong) == sum("no_option" in call for call in calls), done.stdout
    assert all('Unexpected keyword argument "no_option"' in line for line in wrong), done.stdout


def test_what_is_refused_names_the_option_as_the_command_line_calls_it() -> None:
    with pytest.raises(UsageError) as refused:
        Simulate(rounded=math.nan)
    assert str(refused.value) == "rounded is nan, expected a number"
    assert spoken(refused.value.text, "command") == "--round is nan, expected a number"
