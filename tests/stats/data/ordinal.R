# Makes ordinal.csv and ordinal_expected.csv. Run in this folder: Rscript ordinal.R
# Ran with R 4.2.2, ordinal 2022.11.16 (Debian 12).
# Ratings are simulated from cumulative link mixed models: latent = system + random terms + logistic noise, cut at
# thresholds.
library(ordinal)
options(digits = 15)
set.seed(16)

drawn <- function(case, systems, topics, assessors, levels, sd, missing = 0, apart = 1.5) {
  d <- expand.grid(assessor = paste0("a", 1:assessors), topic = sprintf("t%02d", 1:topics),
                   system = paste0("s", 1:systems), stringsAsFactors = FALSE)
  latent <- seq(0, apart, length.out = systems)[as.integer(factor(d$system))] + rlogis(nrow(d))
  for (term in names(sd)) {
    cell <- interaction(d[strsplit(term, ":")[[1]]], drop = TRUE)
    latent <- latent + sd[[term]] * rnorm(nlevels(cell))[as.integer(cell)]
  }
  cuts <- seq(-2, 3.5, length.out = levels - 1) + apart / 2 - 0.5
  if (levels == 2) cuts <- apart / 2
  d$rating <- findInterval(latent, cuts) + 1
  d <- d[runif(nrow(d)) >= missing, ]
  cbind(case = case, d[c("system", "topic", "assessor", "rating")])
}

all <- list(topic = 1, assessor = 0.8, `system:topic` = 0.8, `system:assessor` = 0.5, `topic:assessor` = 0.6)
designs <- list(
  one = list(drawn("one", 4, 30, 1, 3, list(topic = 1.2)), c("topic")),
  crossed = list(drawn("crossed", 5, 15, 4, 5, list(topic = 1, assessor = 0.8)), c("topic", "assessor")),
  holes = list(drawn("holes", 5, 20, 5, 5, all[c("topic", "assessor", "system:topic")], missing = 0.3),
               c("topic", "assessor", "system:topic")),
  seven = list(drawn("seven", 3, 20, 5, 7, all[c("topic", "assessor", "system:assessor")]),
               c("topic", "assessor", "system:assessor")),
  full = list(drawn("full", 6, 20, 4, 5, all), names(all)),
  sparse = list(drawn("sparse", 4, 30, 6, 4, all, missing = 0.4), names(all)),
  zero = list(drawn("zero", 4, 20, 4, 5, list(topic = 1, assessor = 0.8)), c("topic", "assessor", "system:topic")),
  two = list(drawn("two", 4, 30, 4, 2, list(topic = 1, assessor = 0.8)), c("topic", "assessor"))
)

expected <- function(case, d, terms) {
  d[] <- lapply(d, factor)  # clmm crosses factors alone
  formula <- as.formula(paste("rating ~ system +", paste0("(1|", terms, ")", collapse = " + ")))
  row <- function(kind, name, value, error = NA) {
    data.frame(case = case, kind = kind, name = name, value = value, error = error, row.names = NULL)
  }
  fit <- do.call(clmm, list(formula, data = d, Hess = TRUE, control = clmm.control(gradTol = 1e-5, grtol = 1e-7)))
  found <- summary(fit)$coefficients
  at <- seq_along(fit$alpha)
  rbind(row("threshold", rownames(found)[at], found[at, 1], found[at, 2]),
        row("system", sub("system", "", rownames(found)[-at]), found[-at, 1], found[-at, 2]),
        row("sd", names(VarCorr(fit)), sapply(VarCorr(fit), function(v) attr(v, "stddev"))),
        row("fit", "log-likelihood", as.numeric(logLik(fit))))
}

write.csv(do.call(rbind, lapply(designs, `[[`, 1)), "ordinal.csv", row.names = FALSE, quote = FALSE)
write.csv(do.call(rbind, Map(function(case, made) expected(case, made[[1]], made[[2]]), names(designs), designs)),
          "ordinal_expected.csv", row.names = FALSE)
