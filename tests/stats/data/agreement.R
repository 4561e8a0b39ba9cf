# Appends to agreement_expected.csv what psych says of agreement_ratings.csv. R 4.2.2, psych 2.2.9, lme4 1.1-31.
library(psych)
ratings <- read.csv("agreement_ratings.csv")
rows <- list()
add <- function(set, what, weights, of, value, package = "psych")
  rows[[length(rows) + 1]] <<- data.frame(tool = paste(package, packageVersion(package)), set, what, weights, of, value)
for (set in c("whole", "holes")) {
  own <- ratings[ratings$set == set, ]
  wide <- with(own, tapply(value, list(thing, assessor), mean))
  for (pair in combn(colnames(wide), 2, simplify = FALSE)) {
    both <- wide[complete.cases(wide[, pair]), pair]
    linear <- outer(1:5, 1:5, function(i, j) 1 - abs(i - j) / 4)
    plain <- cohen.kappa(both, levels = 1:5)
    add(set, paste0("cohen:", paste(pair, collapse = "")), "identity", "value", plain$kappa)
    add(set, paste0("cohen:", paste(pair, collapse = "")), "quadratic", "value", plain$weighted.kappa)
    add(set, paste0("cohen:", paste(pair, collapse = "")), "linear", "value",
        cohen.kappa(both, w = linear, levels = 1:5)$weighted.kappa)
  }
  if (set == "holes") next
  icc <- ICC(wide, missing = FALSE, lmer = FALSE)$results
  for (name in c("ICC1", "ICC2", "ICC2k")) {
    own <- icc[icc$type == name, ]
    add(set, name, "", "value", own$ICC)
    add(set, name, "", "low", own$`lower bound`)
    add(set, name, "", "high", own$`upper bound`)
  }
}
# Missing cells: the variances that lme4 estimates by REML, and from them the shares of the things.
library(lme4)
own <- ratings[ratings$set == "holes", ]
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e6))
one <- as.data.frame(VarCorr(lmer(value ~ 1 + (1 | thing), own, control = tight)))
two <- as.data.frame(VarCorr(lmer(value ~ 1 + (1 | thing) + (1 | assessor), own, control = tight)))
share <- function(v) v$vcov[v$grp == "thing"] / sum(v$vcov)
add("holes", "ICC1", "", "value", share(one), "lme4")
add("holes", "ICC2", "", "value", share(two), "lme4")
rows <- do.call(rbind, rows)
rows$value <- sprintf("%.17g", rows$value)
write.table(rows, "agreement_expected.csv", sep = ",", append = TRUE, row.names = FALSE, col.names = FALSE, quote = FALSE)
