# Makes anova_*_expected.csv from the other anova_*.csv. Run in this folder: Rscript anova.R
# Ran with R 4.2.2, car 3.1.1, emmeans 1.8.4.1, lme4 1.1.31, pbkrtest 0.5.2 (Debian 12).
# The scores are simulated: phase2 has the shape of DUC-2002's second phase (16 assessor-set cells, 176 rows),
# unbalanced has every two-way cell filled, unequally; holes lacks a fifth of a two-way table, judgments a fifth of
# 10 systems x 12 topics x 4 assessors.
suppressMessages({library(car); library(emmeans); library(lme4); library(pbkrtest)})
options(digits = 15, contrasts = c("contr.sum", "contr.poly"))
scores <- function(name) read.csv(paste0("anova_", name, ".csv"), stringsAsFactors = TRUE)
save <- function(rows, name) write.csv(rows, paste0("anova_", name, "_expected.csv"), row.names = FALSE)
phase2 <- scores("phase2"); unbalanced <- scores("unbalanced"); holes <- scores("holes"); judged <- scores("judgments")

# Tables: anova (type I), car::Anova (types II and III).
crossed <- value ~ assessor + system + topic + assessor:system + assessor:topic + system:topic
repeated <- aov(crossed, phase2)
full <- lm(value ~ system + topic + assessor + system:topic + system:assessor + topic:assessor, unbalanced)
two <- lm(value ~ system + topic, holes)
nested <- lm(value ~ type + system + topic, holes)
rows <- function(data, type, found) {
  found <- found[rownames(found) != "(Intercept)", ]
  data.frame(data = data, type = type, term = rownames(found), df = found[, "Df"], ss = found[, "Sum Sq"],
             f = found[, "F value"], p = found[, "Pr(>F)"])
}
save(rbind(rows("phase2", 1, anova(repeated)), rows("phase2", 2, Anova(lm(crossed, phase2), type = 2)),
           rows("unbalanced", 1, anova(full)), rows("unbalanced", 2, Anova(full, type = 2)),
           rows("unbalanced", 3, Anova(full, type = 3)), rows("holes", 1, anova(two)),
           rows("holes", 2, Anova(two, type = 2)), rows("holes", 3, Anova(two, type = 3)),
           rows("nested", 1, anova(nested))), "tables")

# Least-squares means and their covariances.
means <- function(data, model) {
  found <- emmeans(model, "system")
  data.frame(data = data, system = as.data.frame(found)$system, mean = as.data.frame(found)$emmean,
             unname(vcov(found)))
}
save(means("unbalanced", full), "means_unbalanced")
save(means("holes", two), "means_holes")

# Weighted effects of system:topic.
effects <- model.tables(repeated, "effects")$tables$`system:topic`
save(as.data.frame(as.table(effects), responseName = "effect"), "effects")

# Residuals of holes: Shapiro-Wilk, Brown-Forsythe, Tukey's non-additivity, the largest.
left <- residuals(two)
levene <- leveneTest(left ~ holes$system, center = median)
curved <- anova(two, update(two, . ~ . + I(fitted(two)^2)))
worst <- order(-abs(rstandard(two)))[1:3]
outlier <- outlierTest(two, cutoff = Inf, n.max = 1)
save(data.frame(
  what = c("W", "W.p", "levene.F", "levene.p", "tukey.F", "tukey.p", "row1", "row2", "row3", "rstandard1",
           "rstandard2", "rstandard3", "outlier.p"),
  value = c(shapiro.test(left)$statistic, shapiro.test(left)$p.value, levene[1, 2], levene[1, 3], curved[2, 5],
            curved[2, 6], worst, rstandard(two)[worst], unname(outlier$bonf.p))), "residuals")

# Mixed models by REML. SATmodcomp is Satterthwaite's F test of the fixed effects.
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5),
                     check.conv.singular = "ignore")
fit <- function(formula, data) suppressWarnings(do.call(lmer, list(formula, data = data, control = tight)))
mixed <- function(model, formula, data) {
  found <- fit(formula, data)
  parts <- as.data.frame(VarCorr(found))
  rbind(data.frame(model = model, what = "variance", name = parts$grp, value = parts$vcov),
        data.frame(model = model, what = "deviance", name = "", value = REMLcrit(found)),
        data.frame(model = model, what = "mean", name = names(fixef(found)), value = fixef(found)),
        data.frame(model = model, what = "error", name = names(fixef(found)),
                   value = sqrt(diag(as.matrix(vcov(found))))))
}
test <- function(model, large, small, data) {
  found <- SATmodcomp(fit(large, data), fit(small, data))$test
  data.frame(model = model, what = c("F", "ddf"), name = "", value = c(found$statistic, found$ddf))
}
ratio <- function(model, term, large, small, data)
  data.frame(model = model, what = "ratio", name = term, value = REMLcrit(fit(small, data)) - REMLcrit(fit(large, data)))
averaged <- function() {
  found <- as.data.frame(emmeans(fit(value ~ system + type + (1|topic), holes), "system", mode = "asymptotic"))
  rbind(data.frame(model = "averaged", what = "mean", name = found$system, value = found$emmean),
        data.frame(model = "averaged", what = "error", name = found$system, value = found$SE))
}
inter <- value ~ 0 + system + (1|topic) + (1|assessor) + (1|assessor:system) + (1|assessor:topic) + (1|system:topic)
add <- value ~ 0 + system + (1|topic) + (1|assessor)
save(rbind(
  mixed("additive", add, judged),
  test("additive", value ~ system + (1|topic) + (1|assessor), value ~ 1 + (1|topic) + (1|assessor), judged),
  ratio("additive", "topic", add, value ~ 0 + system + (1|assessor), judged),
  ratio("additive", "assessor", add, value ~ 0 + system + (1|topic), judged),
  mixed("interactions", inter, judged),
  test("interactions", update(inter, . ~ . + 1), update(inter, . ~ . + 1 - system), judged),
  ratio("interactions", "system:topic", inter, update(inter, . ~ . - (1|system:topic)), judged),
  ratio("interactions", "assessor:topic", inter, update(inter, . ~ . - (1|assessor:topic)), judged),
  mixed("random", value ~ 1 + (1|system) + (1|topic) + (1|assessor), judged),
  mixed("all-random", value ~ 1 + (1|system) + (1|topic) + (1|assessor) + (1|assessor:system) + (1|assessor:topic)
        + (1|system:topic), judged),
  averaged(),
  mixed("singular", value ~ 0 + system + (1|topic) + (1|type), holes),
  mixed("singular-interactions", inter, unbalanced)), "mixed")
