"""What every analysis of scores may be asked, and how a declaration becomes a function.

    topics = analysis_function(Topics)

`topics(source, measure, ...)` has the declaration's options by name and type, for `help()`, completion and type
checkers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    cast,
)

from adjudge.core.errors import nearest
from adjudge.core.options import READING, Declared, declared, documented, option, signature_of
from adjudge.core.phrases import either
from adjudge.core.results import Result

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)

ALPHA = 0.05
Progress = Callable[[int, int], None]


def silent(done: int, of: int) -> None:
    """Nobody is told how far work is."""


Length = int | Literal["all", "unset"] | None


TOPICS = option(
    (),
    of="topic",
    metavar="COLUMN=VALUE",
    help="Which topics: by columns of topics.jsonl, such as task=multi or type=3,4, or names, such as d01,d02.",
    unset="all",
)
SOURCES = "an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame"


@dataclass(frozen=True)
class AnyAnalysis(Declared, Generic[R_co]):
    """An analysis of whatever it reads: its options, and how it runs. `Analysis` is one of scores.

    A subclass is a frozen dataclass with options of its own; `read` makes of a source what `run` takes.
    """

    FUNCTION: ClassVar[str] = ""
    """The name of the public function where that is another."""
    METHOD: ClassVar[str | None] = None
    """Its name as a method of an evaluation where that is another; empty where it has none of its own."""
    SOURCE: ClassVar[tuple[str, str]] = ("scores", SOURCES)
    """What the function calls its source, and what that may be."""
    GROUP: ClassVar[str] = "Compare"
    """Where the help lists the command."""
    EXAMPLE: ClassVar[str] = ""
    RUNS: ClassVar[Literal["target", "measure", "once"]] = "target"
    """How often the command runs it: for every measure, length and form, for every measure, or once."""
    SEVERAL_SOURCES: ClassVar[bool] = False
    """Whether it takes several data sets by their names too."""
    SCORES_OPTIONAL: ClassVar[bool] = False
    """Whether it can do without scores; `run` is then given None."""
    METHODS: ClassVar[bool] = False
    """Whether its result has a paragraph on methods."""
    VARIANTS: ClassVar[Mapping[str, str]] = {}
    """Analyses that share the command: by the option that asks for one, the name of its public function."""
    LEAVES_OUT: ClassVar[bool] = True
    """Whether scores are read without the assessors to be left out; what looks at judgments leaves them out itself."""
    LEAVES_OUT_REFUSED: ClassVar[bool] = False
    """Whether the command leaves out measures that it cannot take, with a note, where none is named."""
    PAGE: ClassVar[str] = ""
    """Who writes its result as a page into a folder, with -o: `module:function`."""
    ON_A_PAGE: ClassVar[Mapping[str, Any]] = {}
    """Options as a page has them, where they are not asked for: such as all parts."""
    WORK: ClassVar[str] = ""
    """What takes long, as a terminal is told while `progress` is called."""

    progress: Progress = field(default=silent, compare=False, repr=False, kw_only=True)
    """Called with how much of `WORK` is done, and of how much (0 where nobody knows); no option."""

    def read(self, source: Any) -> Any:
        """What the analysis is of, read from a source."""
        raise TypeError(f"{type(self).__name__} does not say what it reads")

    def run(self, source: Any) -> R_co:
        """The result, of what was read."""
        raise TypeError(f"{type(self).__name__} does not say how it runs")

    def to_run(self, source: Any) -> Sequence[Self]:
        """The analyses that the command runs for this one, such as one for every topic."""
        return [self]

    def result(self, source: Any) -> R_co:
        """The result of any source; of none where it can do without."""
        without = source is None and self.SCORES_OPTIONAL
        return self.run(None if without else self.read(source))


@dataclass(frozen=True)
class Analysis(AnyAnalysis[R_co]):
    """An analysis of scores, with the options that all of these have."""

    measure: str | Sequence[str] | None = option(
        None,
        short="m",
        of="measure",
        metavar="SPEC",
        help="Measure, such as rouge-2; a preset, such as tac; or a formula over scores, such as mean(a, b).",
        unset=either("the only one", "all"),
    )
    _: KW_ONLY
    length: Length = option(
        None,
        least=1,
        metavar="WORDS|all",
        help="Target length of the summaries, in words; all: each topic's mean over the lengths.",
    )
    form: str | None = option(None, metavar="FORM", help="Form of the summaries, such as extract.")
    topics: str | Sequence[str] = TOPICS
    human: str | Sequence[str] = option(
        (),
        metavar="PATTERN",
        panel=READING,
        help="Systems that are human, such as 'H*', where the data does not say.",
    )
    baseline: str | Sequence[str] = option(
        (), metavar="PATTERN", panel=READING, help="Systems that are baselines, where the data does not say."
    )
    without: str | Sequence[str] = option(
        (), of="assessor", metavar="ASSESSOR", panel=READING, help="Leave out the scores of these assessors."
    )
    lower_is_better: bool | str | Collection[str] = option(
        False,
        panel=READING,
        help=either(
            'Lower scores are better, for all measures or for those named ("none": for none). Without it names tell.',
            "Lower scores are better, for all measures.",
        ),
    )
    columns: Mapping[str, str] | None = option(
        None,
        command="map",
        metavar="FIELD=COLUMN",
        panel=READING,
        help="Which column has a field (FIELD= for none).",
    )
    delimiter: str | None = option(
        None,
        metavar="CHARACTER",
        panel=READING,
        help="What separates the columns, such as ';' or tab.",
        unset="recognised",
    )
    encoding: str = option(
        "utf-8",
        metavar="NAME",
        panel=READING,
        help="Encoding of the files, such as latin-1; UTF-16 is recognised.",
    )
    decimal: str | None = option(
        None, metavar="SIGN", panel=READING, help="Decimal sign in numbers: '.' or ','.", unset="recognised"
    )
    transpose: bool = option(False, panel=READING, help="Rows are systems, columns are topics.")
    leave_out: str | Sequence[str] = option(
        (), metavar="A,B,...", panel=READING, help="Columns to leave out."
    )

    assessors: str | Sequence[str] = option(
        (),
        metavar="A,B,...",
        panel=READING,
        help="Columns of one measure by several assessors, or their names in such columns.",
        unset="found out where numbered alike",
    )

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        """The measures that the command runs it for where none is named; none for all."""
        return ()

    def to_run(self, source: Any) -> Sequence[Self]:
        """One for every measure, length and form, for every measure, or one alone, as `RUNS` says."""
        if self.RUNS == "once":
            return [self]
        measures = self.measure or self.usual_measures(source)
        if self.RUNS == "measure":
            return [replace(self, measure=name) for name in source.resolved(measures)]
        targets = source.targets(measures, length=self.length, form=self.form)
        return [replace(self, measure=measure, length=length, form=form) for measure, length, form in targets]

    def read(self, source: Any) -> Scores:
        """The scores of a source on the topics asked for, less those of the assessors that are to be left out."""
        from adjudge.analyses.scores import read_scores, scores_of
        from adjudge.formats.scoretable import TableOptions

        without = self.without if self.LEAVES_OUT else ()
        about = declared(type(self))
        table = [name for name in TABLE if about[name][0].panel == READING]  # plan has assessors of its own
        if not self.changed().keys() & {*table}:
            return scores_of(source, topics=self.topics, without=without)
        how = TableOptions(
            **{name: getattr(self, name) for name in table}, topics=self.topics, without=without
        )
        return replace(read_scores(source, how), unsaid=True)


TABLE = frozenset(
    [
        "human",
        "baseline",
        "lower_is_better",
        "columns",
        "delimiter",
        "encoding",
        "decimal",
        "transpose",
        "leave_out",
        "assessors",
    ]
)
"""The options that say how to read a table."""


def analysis_function(
    declaration: Callable[P, AnyAnalysis[R]],
) -> Callable[Concatenate[Any, P], R]:
    """The public function of an analysis, from its declaration. Some take several sources, by their names."""
    return _function(declaration, lambda asked, source: asked.result(source))


def each_function(
    declaration: Callable[P, AnyAnalysis[R]],
) -> Callable[Concatenate[Any, P], list[R]]:
    """A function that gives as many results as the command shows: a list, such as one for every topic."""

    def run(asked: AnyAnalysis[R], source: Any) -> list[R]:
        read = asked.read(source)
        return [one.run(read) for one in asked.to_run(read)]

    return _function(declaration, run)


T = TypeVar("T")


def _function(
    declaration: Callable[P, AnyAnalysis[R]], run: Callable[[AnyAnalysis[R], Any], T]
) -> Callable[Concatenate[Any, P], T]:
    cls = cast("type[AnyAnalysis[R]]", declaration)
    name = cls.FUNCTION or cls.NAME
    source_name, sources = cls.SOURCE
    declared_options = declared(cls)

    def analyse(*args: Any, **options: Any) -> T:
        if source_name in options:
            args = (options.pop(source_name), *args)
        elif not args and cls.SCORES_OPTIONAL:
            args = (None,)
        for option_name in options:
            if option_name not in declared_options and option_name != "progress":
                raise TypeError(
                    f"{name}() has no option {option_name!r}{nearest(option_name, declared_options)}"
                )
        if not args:
            raise TypeError(f"{name}() needs {source_name}")
        return run(cls(*args[1:], **options), args[0])

    source = inspect.Parameter(
        source_name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        annotation="Source",
        default=None if cls.SCORES_OPTIONAL else inspect.Parameter.empty,
    )
    analyse.__name__ = analyse.__qualname__ = name
    analyse.__module__ = cls.__module__
    about = f"{inspect.getdoc(cls)}\n\n`{source_name}`: {sources}."
    analyse.__doc__ = documented(cls, about)
    analyse.__signature__ = signature_of(cls, source)  # type: ignore[attr-defined]
    analyse.declaration = cls  # type: ignore[attr-defined]
    return cast("Callable[Concatenate[Any, P], T]", analyse)  # which also takes the source by name


class WithoutScores(Protocol[P, R_co]):
    """The public function of an analysis that can do without scores."""

    def __call__(self, scores: Any = None, *args: P.args, **options: P.kwargs) -> R_co: ...


def analysis_without_scores(declaration: Callable[P, AnyAnalysis[R]]) -> WithoutScores[P, R]:
    """The public function of an analysis with `SCORES_OPTIONAL`."""
    return cast("WithoutScores[P, R]", analysis_function(declaration))
