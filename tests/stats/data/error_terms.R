# Makes error_terms_expected.csv and error_mixed_expected.csv from error_*.csv. Run in this folder: Rscript error_terms.R
# Ran with R 4.2.2, lme4 1.1.31, lmerTest 3.1.3, car 3.1.1, emmeans 1.8.4.1 (Debian 12).
# The scores are simulated. types: 9 systems of 2 kinds x 12 topics of 4 types; assessors: 6 systems x 20 topics x
# 3 assessors, `flat` without interactions of assessors; order: two systems met the easier topics; selectors: 4 systems
# x 24 topics, chosen by 6 people, two for each of 3 types. Rows with kept = 0 are left out where a case says so.
suppressMessages({library(car); library(emmeans); library(lmerTest)})
options(digits = 15, contrasts = c("contr.sum", "contr.poly"))
scores <- function(name) read.csv(paste0("error_", name, ".csv"), stringsAsFactors = TRUE)
types <- scores("types"); judged <- scores("assessors"); order <- scores("order"); selectors <- scores("selectors")
row <- function(case, term, f, df, ddf, p) data.frame(case = case, term = term, f = f, df = df, ddf = ddf, p = p)

stratum <- summary(aov(value ~ type * system + Error(topic), types))
from <- function(case, part, term, of = stratum) {
  found <- of[[part]][[1]]
  at <- trimws(rownames(found)) == term
  row(case, term, found[at, "F value"], found[at, "Df"], found["Residuals", "Df"], found[at, "Pr(>F)"])
}
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5), check.conv.singular = "ignore",
                      check.rankX = "silent.drop.cols")
chosen <- summary(aov(value ~ type + selector + system + Error(topic), selectors))
sampled <- suppressWarnings(summary(aov(value ~ type * system + Error(selector/system + topic), selectors)))
these <- summary(aov(value ~ assessor * system + Error(topic/(assessor * system)), judged))
fit <- function(formula, data) suppressWarnings(do.call(lmer, list(formula, data = data, control = tight)))
satterthwaite <- function(case, formula, data, term) {
  found <- anova(fit(formula, data), type = 2, ddf = "Satterthwaite")[term, ]
  row(case, term, found$`F value`, found$NumDF, found$DenDF, found$`Pr(>F)`)
}
sequential <- function(case, formula, data, term) {  # lme4's own
  found <- anova(as(fit(formula, data), "lmerMod"))[term, ]
  row(case, term, found$`F value`, found$npar, NA, NA)
}
wald <- function(case, formula, data, term) {
  found <- Anova(fit(formula, data), type = 2)[term, ]
  row(case, term, found$Chisq / found$Df, found$Df, NA, NA)
}
table <- function(case, term, found) row(case, term, found[term, "F value"], found[term, "Df"], found["Residuals", "Df"],
                                         found[term, "Pr(>F)"])
some <- types[types$kept == 1, ]; less <- judged[judged$kept == 1, ]; fewer <- selectors[selectors$kept == 1, ]
given <- value ~ assessor * system + (1|topic) + (1|assessor:topic) + (1|system:topic)
both <- value ~ type * system + (1|selector) + (1|selector:system) + (1|topic)
mixed <- function(response) as.formula(paste(
  response, "~ system + (1|topic) + (1|assessor) + (1|assessor:system) + (1|assessor:topic) + (1|system:topic)"))
of <- function(fixed) as.formula(paste(
  "value ~ system +", fixed, "+ (1|assessor:system) + (1|assessor:topic) + (1|system:topic)"))
additive <- lm(value ~ system + topic, order)
write.csv(rbind(
  from("types", "Error: topic", "type"), from("types", "Error: Within", "system"),
  from("types", "Error: Within", "type:system"),
  satterthwaite("types-kept", value ~ type + system + (1|topic), some, "type"),
  sequential("types-kept-1", value ~ type + system + (1|topic), some, "type"),
  wald("types-kept-crossed", value ~ type * system + (1|topic), some, "type"),
  satterthwaite("kinds", value ~ kind + (1|system) + (1|topic) + (1|kind:topic), types, "kind"),
  satterthwaite("assessors", mixed("value"), judged, "system"),
  satterthwaite("assessors-flat", mixed("flat"), judged, "system"),
  satterthwaite("assessors-kept", mixed("value"), less, "system"),
  satterthwaite("assessors-flat-kept", mixed("flat"), less, "system"),
  satterthwaite("assessors-kept-topic", of("topic + (1|assessor)"), less, "topic"),
  satterthwaite("assessors-kept-assessor", of("assessor + (1|topic)"), less, "assessor"),
  table("order-1", "system", anova(additive)), table("order-2", "system", Anova(additive, type = 2)),
  from("selectors", "Error: topic", "type", chosen), from("selectors", "Error: topic", "selector", chosen),
  from("selectors", "Error: Within", "system", chosen),
  from("selectors-sampled", "Error: selector", "type", sampled),
  from("selectors-sampled", "Error: selector:system", "system", sampled),
  from("selectors-sampled", "Error: selector:system", "type:system", sampled),
  sequential("selectors-kept", value ~ system + type + selector + (1|topic), fewer, "type"),
  satterthwaite("selectors-kept", value ~ system + selector + (1|topic), fewer, "system"),
  wald("selectors-sampled-kept", both, fewer, "type"), wald("selectors-sampled-kept", both, fewer, "system"),
  satterthwaite("selectors-sampled-kept", both, fewer, "type:system"),
  from("these", "Error: topic:assessor", "assessor", these), from("these", "Error: topic:system", "system", these),
  from("these", "Error: topic:assessor:system", "assessor:system", these),
  wald("these-kept", given, less, "assessor"), wald("these-kept", given, less, "system"),
  satterthwaite("these-kept", given, less, "assessor:system"),
  table("crossed-kept", "assessor:system", Anova(lm(value ~ (assessor + system + topic)^2, less), type = 2)),
  table("crossed-kept", "system:topic", Anova(lm(value ~ (assessor + system + topic)^2, less), type = 2)),
  table("crossed-kept", "assessor:topic", Anova(lm(value ~ (assessor + system + topic)^2, less), type = 2))
), "error_terms_expected.csv", row.names = FALSE)

# The mixed model of these assessors: variances, with systems random too, and the systems' means.
variances <- function(model, formula) {
  found <- as.data.frame(VarCorr(fit(formula, less)))
  data.frame(model = model, name = found$grp, value = found$vcov, error = NA, df = NA)
}
means <- as.data.frame(emmeans(fit(given, less), "system", lmer.df = "satterthwaite"))
write.csv(rbind(
  variances("given", given),
  variances("random", value ~ assessor + (1|system) + (1|assessor:system) + (1|topic) + (1|assessor:topic) + (1|system:topic)),
  data.frame(model = "means", name = means$system, value = means$emmean, error = means$SE, df = means$df)
), "error_mixed_expected.csv", row.names = FALSE)
