"""The works that a paper cites for its methods, as short citations and as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from adjudge.core.words import listed, tex


@dataclass(frozen=True)
class CitedWork:
    """A published work. Its key is its first author's family name and the year: `wilcoxon1945`."""

    kind: str
    authors: tuple[str, ...]
    """Family name, comma, given names."""
    year: int
    title: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The family names."""
        return tuple(author.partition(",")[0] for author in self.authors)

    @property
    def key(self) -> str:
        return key_of(self.names[0], self.year)

    @property
    def short(self) -> str:
        """`Wilcoxon, 1945`, as in brackets."""
        who = f"{self.names[0]} et al." if len(self.names) > 2 else listed(self.names)
        return f"{who}, {self.year}"

    def bibtex(self) -> str:
        """The entry; braces around the title keep its capitals."""
        rows = {"author": " and ".join(self.authors), "title": "", "year": str(self.year), **self.fields}
        lines = [
            f"  {name} = {{{{{tex(self.title)}}}}},"
            if name == "title"
            else f"  {name} = {{{_value(name, text)}}},"
            for name, text in rows.items()
        ]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    def words(self) -> str:
        """The work in a list of references."""
        where = self.fields.get("journal") or self.fields.get("booktitle") or self.fields.get("publisher")
        place = self.fields.get("volume", "")
        place += f"({self.fields['number']})" if "number" in self.fields else ""
        place = ":".join(filter(None, (place, self.fields.get("pages", "").replace("--", "–"))))
        where = ", ".join(
            filter(None, (where or self.fields.get("howpublished"), self.fields.get("address")))
        )
        rest = " ".join(filter(None, (where, place)))
        return f"{'; '.join(self.authors)} ({self.year}). {self.title}. {rest}.".replace(". .", ".")


def key_of(name: str, year: int | str) -> str:
    """`popovic2015` of Popović and 2015."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z]", "", plain) + str(year)


def _value(name: str, text: str) -> str:
    return text if name in ("doi", "url", "pages") else tex(text)


def _article(authors: str, year: int, title: str, journal: str, *place: str, doi: str = "") -> CitedWork:
    where = dict(zip(("volume", "number", "pages"), place, strict=False))
    fields = {"journal": journal} | {name: text for name, text in where.items() if text}
    return CitedWork(
        "article", tuple(authors.split("; ")), year, title, fields | ({"doi": doi} if doi else {})
    )


def _paper(authors: str, year: int, title: str, booktitle: str, pages: str = "") -> CitedWork:
    fields = {"booktitle": booktitle} | ({"pages": pages} if pages else {})
    return CitedWork("inproceedings", tuple(authors.split("; ")), year, title, fields)


def _book(author: str, year: int, title: str, publisher: str, address: str) -> CitedWork:
    fields = {"publisher": publisher, "address": address}
    return CitedWork("book", tuple(author.split("; ")), year, title, fields)


JASA = "Journal of the American Statistical Association"
_KNOWN = (
    # Tests
    _article("Student", 1908, "The Probable Error of a Mean", "Biometrika", "6", "1", "1--25"),
    _book("Fisher, Ronald A.", 1935, "The Design of Experiments", "Oliver and Boyd", "Edinburgh"),
    _article(
        "Wilcoxon, Frank",
        1945,
        "Individual Comparisons by Ranking Methods",
        "Biometrics Bulletin",
        "1",
        "6",
        "80--83",
        doi="10.2307/3001968",
    ),
    _article(
        "Dixon, Wilfrid J.; Mood, Alexander M.",
        1946,
        "The Statistical Sign Test",
        JASA,
        "41",
        "236",
        "557--566",
    ),
    _article(
        "Welch, Bernard L.",
        1947,
        "The Generalization of ‘Student’s’ Problem when Several Different Population Variances are Involved",
        "Biometrika",
        "34",
        "1-2",
        "28--35",
    ),
    _article(
        "Clopper, Charles J.; Pearson, Egon S.",
        1934,
        "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
        "Biometrika",
        "26",
        "4",
        "404--413",
    ),
    _article(
        "McNemar, Quinn",
        1947,
        "Note on the Sampling Error of the Difference between Correlated Proportions or Percentages",
        "Psychometrika",
        "12",
        "2",
        "153--157",
    ),
    _article(
        "Smyth, Gordon K.",
        2004,
        "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments",
        "Statistical Applications in Genetics and Molecular Biology",
        "3",
        "1",
        "1--25",
    ),
    _article(
        "Satterthwaite, Franklin E.",
        1946,
        "An Approximate Distribution of Estimates of Variance Components",
        "Biometrics Bulletin",
        "2",
        "6",
        "110--114",
    ),
    _article(
        "Patterson, H. Desmond; Thompson, Robin",
        1971,
        "Recovery of Inter-Block Information when Block Sizes are Unequal",
        "Biometrika",
        "58",
        "3",
        "545--554",
    ),
    _article(
        "Pratt, John W.",
        1959,
        "Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures",
        JASA,
        "54",
        "287",
        "655--667",
    ),
    _article(
        "Schuirmann, Donald J.",
        1987,
        "A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of"
        " Average Bioavailability",
        "Journal of Pharmacokinetics and Biopharmaceutics",
        "15",
        "6",
        "657--680",
    ),
    _book(
        "Noreen, Eric W.",
        1989,
        "Computer-Intensive Methods for Testing Hypotheses: An Introduction",
        "John Wiley & Sons",
        "New York",
    ),
    _article(
        "Phipson, Belinda; Smyth, Gordon K.",
        2010,
        "Permutation P-values Should Never Be Zero: Calculating Exact P-values When Permutations Are Randomly Drawn",
        "Statistical Applications in Genetics and Molecular Biology",
        "9",
        "1",
        "Article 39",
        doi="10.2202/1544-6115.1585",
    ),
    _paper(
        "Rankel, Peter; Conroy, John; Slud, Eric; O'Leary, Dianne",
        2011,
        "Ranking Human and Machine Summarization Systems",
        "Proceedings of the 2011 Conference on Empirical Methods in Natural Language Processing",
        "467--473",
    ),
    # Many tests at once
    _article("Dunn, Olive Jean", 1961, "Multiple Comparisons among Means", JASA, "56", "293", "52--64"),
    _article(
        "Holm, Sture",
        1979,
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        "6",
        "2",
        "65--70",
    ),
    _article(
        "Tarone, Robert E.",
        1990,
        "A Modified Bonferroni Method for Discrete Data",
        "Biometrics",
        "46",
        "2",
        "515--522",
    ),
    _book(
        "Westfall, Peter H.; Young, S. Stanley",
        1993,
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
        "John Wiley & Sons",
        "New York",
    ),
    _article(
        "Benjamini, Yoav; Hochberg, Yosef",
        1995,
        "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
        "Journal of the Royal Statistical Society: Series B",
        "57",
        "1",
        "289--300",
    ),
    _article(
        "Tukey, John W.",
        1949,
        "Comparing Individual Means in the Analysis of Variance",
        "Biometrics",
        "5",
        "2",
        "99--114",
    ),
    _article(
        "Kramer, Clyde Y.",
        1956,
        "Extension of Multiple Range Tests to Group Means with Unequal Numbers of Replications",
        "Biometrics",
        "12",
        "3",
        "307--310",
    ),
    _article(
        "Conover, William J.; Iman, Ronald L.",
        1981,
        "Rank Transformations as a Bridge between Parametric and Nonparametric Statistics",
        "The American Statistician",
        "35",
        "3",
        "124--129",
    ),
    _article(
        "Hsu, Jason C.",
        1984,
        "Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best",
        "The Annals of Statistics",
        "12",
        "3",
        "1136--1144",
    ),
    _article(
        "Romano, Joseph P.; Wolf, Michael",
        2005,
        "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing",
        JASA,
        "100",
        "469",
        "94--108",
    ),
    _article(
        "Demšar, Janez",
        2006,
        "Statistical Comparisons of Classifiers over Multiple Data Sets",
        "Journal of Machine Learning Research",
        "7",
        "",
        "1--30",
    ),
    # Letters and ranks
    _article(
        "Piepho, Hans-Peter",
        2004,
        "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons",
        "Journal of Computational and Graphical Statistics",
        "13",
        "2",
        "456--466",
        doi="10.1198/1061860043515",
    ),
    _article(
        "Mogstad, Magne; Romano, Joseph P.; Shaikh, Azeem M.; Wilhelm, Daniel",
        2024,
        "Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across"
        " Countries",
        "The Review of Economic Studies",
        "91",
        "1",
        "476--518",
        doi="10.1093/restud/rdad006",
    ),
    # Measures
    _article(
        "Bradley, Ralph Allan; Terry, Milton E.",
        1952,
        "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons",
        "Biometrika",
        "39",
        "3-4",
        "324--345",
    ),
    # Agreement, and measures beside people
    _article(
        "Kendall, Maurice G.",
        1945,
        "The Treatment of Ties in Ranking Problems",
        "Biometrika",
        "33",
        "3",
        "239--251",
    ),
    _article(
        "Fieller, Edgar C.; Hartley, Herman O.; Pearson, Egon S.",
        1957,
        "Tests for Rank Correlation Coefficients. I",
        "Biometrika",
        "44",
        "3-4",
        "470--481",
    ),
    _article(
        "Shrout, Patrick E.; Fleiss, Joseph L.",
        1979,
        "Intraclass Correlations: Uses in Assessing Rater Reliability",
        "Psychological Bulletin",
        "86",
        "2",
        "420--428",
    ),
    _book(
        "Efron, Bradley; Tibshirani, Robert J.",
        1993,
        "An Introduction to the Bootstrap",
        "Chapman and Hall",
        "New York",
    ),
    _article(
        "Gwet, Kilem Li",
        2008,
        "Computing Inter-Rater Reliability and its Variance in the Presence of High Agreement",
        "British Journal of Mathematical and Statistical Psychology",
        "61",
        "1",
        "29--48",
    ),
    _book(
        "Krippendorff, Klaus",
        2019,
        "Content Analysis: An Introduction to Its Methodology",
        "SAGE",
        "Los Angeles",
    ),
    _article(
        "Deutsch, Daniel; Dror, Rotem; Roth, Dan",
        2021,
        "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods",
        "Transactions of the Association for Computational Linguistics",
        "9",
        "",
        "1132--1146",
    ),
    _article(
        "Cohen, Jacob",
        1960,
        "A Coefficient of Agreement for Nominal Scales",
        "Educational and Psychological Measurement",
        "20",
        "1",
        "37--46",
    ),
    _paper(
        "Lin, Chin-Yew; Hovy, Eduard",
        2002,
        "Manual and Automatic Evaluation of Summaries",
        "Proceedings of the ACL-02 Workshop on Automatic Summarization",
        "45--51",
    ),
    CitedWork(
        "misc",
        ("Over, Paul", "Liggett, Walter"),
        2002,
        "Introduction to DUC-2002: an Intrinsic Evaluation of Generic News Text Summarization Systems",
        {"howpublished": "National Institute of Standards and Technology"},
    ),
    _paper(
        "Papineni, Kishore; Roukos, Salim; Ward, Todd; Zhu, Wei-Jing",
        2002,
        "Bleu: a Method for Automatic Evaluation of Machine Translation",
        "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
        "311--318",
    ),
    _paper(
        "Lin, Chin-Yew",
        2004,
        "ROUGE: A Package for Automatic Evaluation of Summaries",
        "Text Summarization Branches Out",
        "74--81",
    ),
    _paper(
        "Dang, Hoa Trang",
        2005,
        "Overview of DUC 2005",
        "Proceedings of the Document Understanding Conference (DUC 2005)",
    ),
    _paper(
        "Hovy, Eduard; Lin, Chin-Yew; Zhou, Liang; Fukumoto, Junichi",
        2006,
        "Automated Summarization Evaluation with Basic Elements",
        "Proceedings of the Fifth International Conference on Language Resources and Evaluation",
    ),
    _paper(
        "Snover, Matthew; Dorr, Bonnie; Schwartz, Rich; Micciulla, Linnea; Makhoul, John",
        2006,
        "A Study of Translation Edit Rate with Targeted Human Annotation",
        "Proceedings of the 7th Conference of the Association for Machine Translation in the Americas",
        "223--231",
    ),
    _article(
        "Nenkova, Ani; Passonneau, Rebecca; McKeown, Kathleen",
        2007,
        "The Pyramid Method: Incorporating Human Content Selection Variation in Summarization Evaluation",
        "ACM Transactions on Speech and Language Processing",
        "4",
        "2",
    ),
    _article(
        "Louis, Annie; Nenkova, Ani",
        2013,
        "Automatically Assessing Machine Summary Content Without a Gold Standard",
        "Computational Linguistics",
        "39",
        "2",
        "267--300",
    ),
    _paper(
        "Popović, Maja",
        2015,
        "chrF: Character n-gram F-score for Automatic MT Evaluation",
        "Proceedings of the Tenth Workshop on Statistical Machine Translation",
        "392--395",
    ),
    _paper(
        "Popović, Maja",
        2017,
        "chrF++: Words Helping Character n-grams",
        "Proceedings of the Second Conference on Machine Translation",
        "612--618",
    ),
    _paper(
        "See, Abigail; Liu, Peter J.; Manning, Christopher D.",
        2017,
        "Get To The Point: Summarization with Pointer-Generator Networks",
        "Proceedings of the 55th Annual Meeting of the Association for Computational Linguistics",
        "1073--1083",
    ),
    _paper(
        "Grusky, Max; Naaman, Mor; Artzi, Yoav",
        2018,
        "Newsroom: A Dataset of 1.3 Million Summaries with Diverse Extractive Strategies",
        "Proceedings of the 2018 Conference of the North American Chapter of the Association for Computational"
        " Linguistics: Human Language Technologies",
        "708--719",
    ),
    _paper(
        "Post, Matt",
        2018,
        "A Call for Clarity in Reporting BLEU Scores",
        "Proceedings of the Third Conference on Machine Translation: Research Papers",
        "186--191",
    ),
    _paper(
        "Zopf, Markus",
        2018,
        "Estimating Summary Quality with Pairwise Preferences",
        "Proceedings of the 2018 Conference of the North American Chapter of the Association for Computational"
        " Linguistics: Human Language Technologies",
        "1687--1696",
    ),
    _paper(
        "Reimers, Nils; Gurevych, Iryna",
        2019,
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks",
        "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing",
        "3982--3992",
    ),
    _paper(
        "Zhang, Tianyi; Kishore, Varsha; Wu, Felix; Weinberger, Kilian Q.; Artzi, Yoav",
        2020,
        "BERTScore: Evaluating Text Generation with BERT",
        "International Conference on Learning Representations",
    ),
    # Leaving a few observations out
    CitedWork(
        "misc",
        ("Broderick, Tamara", "Giordano, Ryan", "Meager, Rachael"),
        2020,
        "An Automatic Finite-Sample Robustness Metric: When Can Dropping a Little Data Make a Big Difference?",
        {"howpublished": "arXiv:2011.14999"},
    ),
    _paper(
        "Huang, Jenny Y.; Shen, Yunyi; Wei, Dennis; Broderick, Tamara",
        2026,
        "Dropping Just a Handful of Preferences Can Change Top Large Language Model Rankings",
        "International Conference on Learning Representations",
    ),
)
REFERENCES = {work.key: work for work in _KNOWN}
"""By key."""

_CITED = re.compile(r"(\w[\w'’-]*)(?:[^;:]*?) (\d{4})\b")


def keys_in(citation: str) -> list[str]:
    """The keys of a measure's citation, such as `Popović 2015, chrF; Post 2018, sacrebleu`; known works only."""
    matches = (_CITED.match(part.strip()) for part in citation.split(";"))
    return [key for cited in matches if cited and (key := key_of(cited[1], cited[2])) in REFERENCES]


def bibtex(keys: Iterable[str]) -> str:
    """The entries, each once, in the order of their keys."""
    return "\n\n".join(REFERENCES[key].bibtex() for key in sorted(set(keys)))
