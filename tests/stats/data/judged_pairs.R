# Every two systems with topics and assessors as random factors: lme4, lmerTest and emmeans.
# Ran with R 4.2.2, lme4 1.1.31, lmerTest 3.1.3, emmeans 1.8.4.1 (Debian 12).
# Rscript judged_pairs.R, in this folder; writes judged_pairs_expected.csv and judged_components_expected.csv.

suppressMessages({library(lmerTest); library(emmeans)})
emm_options(lmerTest.limit = 1e5, pbkrtest.limit = 0)

all <- "(1|topic) + (1|assessor) + (1|topic:assessor) + (1|system:topic) + (1|system:assessor)"
# One assessor per topic: topic:assessor is topic, and system:topic is the noise.
single <- "(1|topic) + (1|assessor) + (1|system:assessor)"
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5),
                     check.conv.singular = "ignore", calc.derivs = FALSE)
pairs_of <- components <- NULL
for (name in c("crossed", "missing", "blocks", "assigned", "single")) {
  given <- read.csv(paste0("judged_", name, ".csv"), stringsAsFactors = TRUE)
  formula <- as.formula(paste("value ~ system +", if (name == "single") single else all))
  fit <- lmer(formula, given, control = tight)
  means <- emmeans(fit, "system", lmer.df = "satterthwaite")
  found <- as.data.frame(pairs(means, adjust = "none"))
  of_means <- as.data.frame(means)
  pairs_of <- rbind(pairs_of, data.frame(data = name, what = as.character(found$contrast), estimate = found$estimate,
                                         error = found$SE, df = found$df))
  pairs_of <- rbind(pairs_of, data.frame(data = name, what = as.character(of_means$system),
                                         estimate = of_means$emmean, error = of_means$SE, df = of_means$df))
  parts <- as.data.frame(VarCorr(fit))
  components <- rbind(components, data.frame(data = name, term = parts$grp, variance = parts$vcov))
}
write.csv(format(pairs_of, digits = 9), "judged_pairs_expected.csv", row.names = FALSE, quote = FALSE)
write.csv(format(components, digits = 9), "judged_components_expected.csv", row.names = FALSE, quote = FALSE)
