# Makes ordinal_df_expected.csv from ordinal.csv. Run in this folder: Rscript ordinal_df.R
# Ran with R 4.2.2, lme4 1.1.31, lmerTest 3.1.3, emmeans 1.8.4.1 (Debian 12).
# Pairs of systems in the linear mixed model of the ratings, by REML, with Satterthwaite's degrees of freedom; full_error:
# their standard errors by maximum likelihood.
suppressMessages({library(emmeans); library(lmerTest)})
options(digits = 15)
rows <- read.csv("ordinal.csv", stringsAsFactors = TRUE)
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5), check.conv.singular = "ignore")
of <- function(case) {
  d <- rows[rows$case == case, ]
  fit <- suppressWarnings(lmer(rating ~ system + (1|topic) + (1|assessor) + (1|system:topic) + (1|system:assessor)
                               + (1|topic:assessor), d, control = tight))
  found <- as.data.frame(pairs(emmeans(fit, "system", lmer.df = "satterthwaite")))
  full <- suppressWarnings(update(fit, REML = FALSE))
  full_error <- as.data.frame(pairs(emmeans(full, "system", lmer.df = "asymptotic")))$SE
  names <- do.call(rbind, strsplit(as.character(found$contrast), " - "))
  data.frame(case = case, a = names[, 1], b = names[, 2], difference = found$estimate, error = found$SE, df = found$df,
             full_error = full_error)
}
write.csv(do.call(rbind, lapply(c("full", "sparse"), of)), "ordinal_df_expected.csv", row.names = FALSE)
