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
    TypeVar,
    cast,
)

from adjudge.core.errors import nearest
from adjudge.core.options import READING, Declared, declared, documented, option, signature_of
from adjudge.core.results import Result

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores, Source

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)

ALPHA = 0.05
Progress = Callable[[int, int], None]


def silent(done: int, of: int) -> None:
    """Nobody is told how far work is."""


Length = int | Literal["all", "unset"] | None


@dataclass(frozen=True)
class Analysis(Declared, Generic[R_co]):
    """An analysis of scores: its options, and how it runs. A subclass is a frozen dataclass with options of its own."""

    FUNCTION: ClassVar[str] = ""
    """The name of the public function where that is another."""
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
    WORK: ClassVar[str] = ""
    """What takes long, as a terminal is told while `progress` is called."""

    measure: str | Sequence[str] | None = option(
        None,
        short="m",
        of="measure",
        metavar="SPEC",
        help="A measure such as rouge-2, a preset such as tac, or a formula over scores such as mean(a, b).",
        unset="the only one; on the command line all",
    )
    _: KW_ONLY
    length: Length = option(
        None, least=1, metavar="WORDS|all", help="Target length; all averages within a topic first."
    )
    form: str | None = option(None, metavar="FORM", help="Form of summaries, such as extract.")
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
        False, panel=READING, help="Lower scores are better: of all measures, or of those named."
    )
    columns: Mapping[str, str] | None = option(
        None,
        command="map",
        metavar="FIELD=COLUMN",
        panel=READING,
        help="In which column a field stands (FIELD= for none).",
    )
    delimiter: str | None = option(
        None,
        metavar="CHARACTER",
        panel=READING,
        help="Between columns, such as ';' or tab.",
        unset="found out",
    )
    encoding: str = option(
        "utf-8", metavar="NAME", panel=READING, help="Such as latin-1; UTF-16 is found out."
    )
    decimal: str | None = option(
        None, metavar="SIGN", panel=READING, help="'.' or ',' in numbers.", unset="found out"
    )
    transpose: bool = option(False, panel=READING, help="Rows are systems and columns are topics.")
    leave_out: str | Sequence[str] = option(
        (), metavar="A,B,...", panel=READING, help="Columns that are not to be read."
    )
    progress: Progress = field(default=silent, compare=False, repr=False)
    """Called with how much of `WORK` is done, and of how much (0 where nobody knows); no option."""

    def run(self, scores: Scores) -> R_co:
        """The result, of scores that are read and of the assessors that are wanted."""
        raise TypeError(f"{type(self).__name__} does not say how it runs")

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        """The measures that the command runs it for where none is named; none for all."""
        return ()

    def of(self, source: Source | None) -> R_co:
        """The result of any source of scores; of none where it can do without."""
        without = source is None and self.SCORES_OPTIONAL
        return self.run(cast("Scores", None) if without else self.read(source))

    def read(self, source: Any) -> Scores:
        """The scores of a source, less those of the assessors that are to be left out."""
        from adjudge.analyses.scores import read_scores, scores_of
        from adjudge.formats.scoretable import TableOptions

        asked = self.changed().keys() & TABLE
        without = self.without if self.LEAVES_OUT else ()
        if not asked:
            return scores_of(source, without=without)
        how = TableOptions(
            lower_is_better=self.lower_is_better,
            columns=self.columns,
            delimiter=self.delimiter,
            encoding=self.encoding,
            decimal=self.decimal,
            transpose=self.transpose,
            leave_out=self.leave_out,
            without=without,
        )
        return replace(read_scores(source, how, human=self.human, baseline=self.baseline), unsaid=True)


TABLE = frozenset(
    (
        "human",
        "baseline",
        "lower_is_better",
        "columns",
        "delimiter",
        "encoding",
        "decimal",
        "transpose",
        "leave_out",
    )
)
"""The options that say how to read a table."""


def analysis_function(
    declaration: Callable[P, Analysis[R]],
) -> Callable[Concatenate[Source | Mapping[str, Source], P], R]:
    """The public function of an analysis, from its declaration. Some take several sources, by their names."""
    cls = cast("type[Analysis[R]]", declaration)
    name = cls.FUNCTION or cls.NAME
    known = declared(cls)

    def analyse(scores: Any = None, *args: P.args, **options: P.kwargs) -> R:
        for option_name in options:
            if option_name not in known and option_name != "progress":
                raise TypeError(f"{name}() has no option {option_name!r}{nearest(option_name, known)}")
        return declaration(*args, **options).of(scores)

    source = inspect.Parameter(
        "scores",
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        annotation="Source",
        default=None if cls.SCORES_OPTIONAL else inspect.Parameter.empty,
    )
    analyse.__name__ = analyse.__qualname__ = name
    analyse.__module__ = cls.__module__
    about = f"{inspect.getdoc(cls)}\n\n{SOURCES}"
    analyse.__doc__ = documented(cls, about)
    analyse.__signature__ = signature_of(cls, source)  # type: ignore[attr-defined]
    analyse.declaration = cls  # type: ignore[attr-defined]
    return cast(
        "Callable[Concatenate[Source | Mapping[str, Source], P], R]", analyse
    )  # which also takes `scores` by name


class WithoutScores(Protocol[P, R_co]):
    """The public function of an analysis that can do without scores."""

    def __call__(self, scores: Source | None = None, *args: P.args, **options: P.kwargs) -> R_co: ...


def analysis_without_scores(declaration: Callable[P, Analysis[R]]) -> WithoutScores[P, R]:
    """The public function of an analysis with `SCORES_OPTIONAL`."""
    return cast("WithoutScores[P, R]", analysis_function(declaration))


SOURCES = (
    "`scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame."
)
