# Variance components with everything random, and with systems fixed, by lme4 1.1-31 in R 4.2.2: Rscript components.R
# components.csv: normal scores rounded to two digits, from numpy.random.default_rng(16), five designs.
library(lme4)
d <- read.csv("components.csv")
out <- NULL
terms <- list(
  crossed = "(1|system) + (1|topic) + (1|assessor) + (1|system:topic) + (1|assessor:system) + (1|assessor:topic)",
  repeats = "(1|system) + (1|topic) + (1|assessor) + (1|system:topic) + (1|assessor:system) + (1|assessor:topic) + (1|assessor:system:topic)"
)
of <- c(crossed = "crossed", missing = "crossed", repeats = "repeats", groups = "crossed", whoever = "crossed")
for (case in names(of)) {
  part <- d[d$case == case, ]
  part[c("system", "topic", "assessor")] <- lapply(part[c("system", "topic", "assessor")], factor)
  fit <- lmer(as.formula(paste("value ~", terms[[of[case]]])), part,
              control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e6)))
  v <- as.data.frame(VarCorr(fit))
  out <- rbind(out, data.frame(case = case, model = "random", term = v$grp, variance = v$vcov))
  rest <- sub("(1|system) + ", "", terms[[of[case]]], fixed = TRUE)
  fit <- lmer(as.formula(paste("value ~ system +", rest)), part,
              control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e6)))
  v <- as.data.frame(VarCorr(fit))
  out <- rbind(out, data.frame(case = case, model = "fixed", term = v$grp, variance = v$vcov))
}
write.csv(out, "components_expected.csv", row.names = FALSE, quote = FALSE)
print(out); cat(R.version.string, as.character(packageVersion("lme4")), "\n")
