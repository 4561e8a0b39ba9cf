"""Writes agreement_ratings.csv, agreement_gwet.csv and agreement_expected.csv: irrCAC 0.4.4, pingouin 0.6.1.

Run beside the files with a Python that has both, then agreement.R, which appends what R's psych says:

    python agreement_oracles.py && Rscript agreement.R

agreement_ratings.csv is generated: two sets of 30 things by 4 assessors on a scale of 1 to 5, skewed to 5; in `holes`
a fifth of the judgments is missing. agreement_gwet.csv is irrCAC's `raw_4raters` (Gwet's handbook: 12 units, 4
raters, 5 categories, missing ratings).
"""

import numpy as np
import pandas as pd
import pingouin  # type: ignore[import-not-found]
from irrCAC.datasets import raw_4raters  # type: ignore[import-not-found]
from irrCAC.raw import CAC  # type: ignore[import-not-found]

rng = np.random.default_rng(16)
rows = []
sets = {}
for name, missing in (("whole", 0.0), ("holes", 0.2)):
    truth = rng.normal(4.2, 0.9, size=(30, 1))
    values = np.clip(np.round(truth + rng.normal([0, 0.3, -0.4, 0], 0.7, size=(30, 4))), 1, 5)
    values[rng.random(values.shape) < missing] = np.nan
    sets[name] = pd.DataFrame(values, columns=list("abcd"))
    for thing, row in enumerate(values):
        rows += [(name, thing, who, v) for who, v in zip("abcd", row, strict=True) if v == v]
pd.DataFrame(rows, columns=["set", "thing", "assessor", "value"]).to_csv("agreement_ratings.csv", index=False)

gwet = raw_4raters().astype(float)
gwet.to_csv("agreement_gwet.csv", index=False)
sets["gwet"] = gwet
found = []
for name, frame in sets.items():
    for weights in ("identity", "linear", "quadratic"):
        for scale in ("used", "six"):
            known = sorted(frame.stack().unique().tolist())
            categories = known if scale == "used" else sorted({*known, 6.0})
            cac = CAC(frame.reset_index(drop=True), weights=weights, categories=categories, digits=15)
            for what, run in (("gwet", cac.gwet), ("fleiss", cac.fleiss)):
                est = run()["est"]
                found.append(("irrCAC 0.4.4", name, what, weights, scale, est["coefficient_value"]))
                if weights == "identity" and scale == "used" and what == "gwet":
                    found.append(("irrCAC 0.4.4", name, "agreement", weights, scale, est["pa"]))
long = sets["whole"].rename_axis("thing").reset_index().melt("thing", var_name="assessor", value_name="value")
icc = pingouin.intraclass_corr(long, targets="thing", raters="assessor", ratings="value")
names = {"ICC1": "ICC1", "ICC2": "ICC2", "ICC2k": "ICC2k"}
names |= {"ICC(1,1)": "ICC1", "ICC(A,1)": "ICC2", "ICC(A,k)": "ICC2k"}
for _, row in icc.iterrows():
    if row["Type"] in names:
        found.append(("pingouin 0.6.1", "whole", names[row["Type"]], "", "value", row["ICC"]))
expected = pd.DataFrame(found, columns=["tool", "set", "what", "weights", "of", "value"])
expected.to_csv("agreement_expected.csv", index=False, float_format="%.17g")
