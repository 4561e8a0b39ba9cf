# Makes tukey_*_expected.csv from tukey_blocked.csv and tukey_missing.csv. Run in this folder: Rscript tukey.R
# Ran with R 4.2.2, multcomp 1.4.22, mvtnorm 1.1.3, multcompView 0.1.8, emmeans 1.8.4.1 (Debian 12).
suppressMessages({library(multcomp); library(multcompView); library(emmeans)})
options(digits = 15)
long <- function(file) {
  wide <- read.csv(file)
  rows <- data.frame(topic = factor(rep(wide$topic, 6)),
                     system = factor(rep(names(wide)[-1], each = nrow(wide))),
                     value = unlist(wide[-1], use.names = FALSE))
  rows[!is.na(rows$value), ]
}
save <- function(rows, name) write.csv(rows, paste0("tukey_", name, "_expected.csv"), row.names = FALSE)
whole <- long("tukey_blocked.csv")
holes <- long("tukey_missing.csv")

# TukeyHSD gives b - a for "b-a".
hsd <- function(model, name) {
  found <- TukeyHSD(model, "system")$system
  save(data.frame(pair = rownames(found), difference = found[, "diff"], low = found[, "lwr"],
                  high = found[, "upr"], p = found[, "p adj"],
                  df = df.residual(model), mean_square = deviance(model) / df.residual(model)), name)
}
hsd(aov(value ~ system + topic, whole), "hsd")
hsd(aov(rank(value) ~ system + topic, whole), "hsd_ranks")

# emmeans, unbalanced: pairs(adjust = "tukey").
for (kind in c("values", "ranks")) {
  response <- if (kind == "values") holes$value else rank(holes$value)
  model <- lm(response ~ system + topic, holes)
  means <- emmeans(model, "system")
  found <- as.data.frame(pairs(means, adjust = "tukey"))
  ends <- as.data.frame(confint(pairs(means, adjust = "tukey")))
  save(data.frame(pair = found$contrast, difference = found$estimate, se = found$SE, low = ends$lower.CL,
                  high = ends$upper.CL, p = found$p.value, df = found$df,
                  mean_square = deviance(model) / df.residual(model)), paste0("emmeans_", kind))
  if (kind == "values") save(as.data.frame(means)[, c("system", "emmean")], "means")
}

# Contrasts on the model with missing cells.
model <- lm(value ~ system + topic, holes)
means <- emmeans(model, "system")
chosen <- list("AB-EF" = c(.5, .5, 0, 0, -.5, -.5), "E-rest" = c(-.2, -.2, -.2, -.2, 1, -.2),
               "C-D" = c(0, 0, 1, -1, 0, 0))
rows <- NULL
for (adjust in c("none", "bonferroni", "holm", "scheffe")) {
  asked <- contrast(means, chosen, adjust = adjust, scheffe.rank = 5)
  found <- as.data.frame(summary(asked, infer = TRUE, adjust = adjust, scheffe.rank = 5))
  rows <- rbind(rows, data.frame(adjust = adjust, contrast = found$contrast, estimate = found$estimate,
                                 se = found$SE, df = found$df, t = found$t.ratio, p = found$p.value,
                                 low = found$lower.CL, high = found$upper.CL))
}
save(rows, "contrasts")

# The multivariate t: Dunnett against A, and all pairs, with its integral asked to 1e-6.
single <- function(data, type, name) {
  asked <- glht(lm(value ~ system + topic, data), linfct = mcp(system = type))
  set.seed(1)
  found <- summary(asked, test = adjusted("single-step", abseps = 1e-6, maxpts = 1e7))$test
  set.seed(1)
  critical <- attr(confint(asked, abseps = 1e-6, maxpts = 1e7)$confint, "calpha")
  data.frame(model = name, type = type, contrast = names(found$coefficients), estimate = found$coefficients,
             se = found$sigma, t = found$tstat, p = as.numeric(found$pvalues), critical = critical)
}
save(rbind(single(whole, "Dunnett", "blocked"), single(holes, "Dunnett", "missing"),
           single(holes, "Tukey", "missing")), "glht")

# Letters, "a" for the highest mean, from the p-values of TukeyHSD; and of relations at random among items in rank
# order, where which pairs differ is all there is: multcompLetters() of a matrix of truth values.
model <- aov(value ~ system + topic, whole)
means <- sort(tapply(whole$value, whole$system, mean), decreasing = TRUE)
found <- vec2mat(TukeyHSD(model, "system")$system[, "p adj"])[names(means), names(means)]
rows <- data.frame(case = "blocked", items = paste(names(means), collapse = " "), pairs = "",
                   letters = paste(multcompLetters(found)$Letters, collapse = " "))
set.seed(2004)
for (case in 1:40) {
  size <- sample(4:9, 1)
  items <- LETTERS[seq_len(size)]
  place <- sort(runif(size))
  differ <- abs(outer(place, place, "-")) > runif(1, 0.1, 0.6)
  if (case > 20) {  # not only by distance, as with missing cells
    noise <- matrix(runif(size^2) < 0.15, size)
    differ <- xor(differ, upper.tri(noise) & noise | t(upper.tri(noise) & noise))
  }
  dimnames(differ) <- list(items, items)
  upper <- which(differ & upper.tri(differ), arr.ind = TRUE)
  rows <- rbind(rows, data.frame(case = if (case > 20) "any" else "distance", items = paste(items, collapse = " "),
                                 pairs = paste(paste0(items[upper[, 1]], items[upper[, 2]]), collapse = " "),
                                 letters = paste(multcompLetters(differ)$Letters, collapse = " ")))
}
save(rows, "letters")

# The studentized range, where ptukey is good to 1e-5 or better.
grid <- expand.grid(q = c(0.5, 2, 3.5, 4.5, 6, 9), k = c(2, 3, 7, 11, 66), df = c(20, 120, 560, Inf))
save(cbind(grid, p = ptukey(grid$q, grid$k, grid$df, lower.tail = FALSE)), "range")
