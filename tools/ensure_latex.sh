#!/bin/sh
# Makes sure that the tests of papers have pdflatex, bibtex and the packages that adjudge.sty takes; silent where they
# are there already.
set -u

there() {
    command -v pdflatex >/dev/null 2>&1 && command -v bibtex >/dev/null 2>&1 && command -v kpsewhich >/dev/null 2>&1 &&
        kpsewhich booktabs.sty graphicx.sty geometry.sty plain.bst >/dev/null 2>&1
}

there && exit 0
sh "$(dirname "$0")/apt_install.sh" "the tests of papers" texlive-latex-base texlive-latex-recommended texlive-fonts-recommended && there && exit 0
echo "no LaTeX for the tests of papers: install pdflatex and bibtex with booktabs, graphicx and geometry (Debian: apt-get install texlive-latex-recommended texlive-fonts-recommended)" >&2
exit 1
