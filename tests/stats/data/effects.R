# R 4.2.2: Rscript tests/stats/data/effects.R tests/stats/data
# Writes effects_cases.csv (paired scores) and effects_expected.csv (t.test, wilcox.test, and the noncentral t by pt).
folder <- commandArgs(TRUE)[1]
set.seed(4)
# "depression" is R's own example in ?wilcox.test: Hollander and Wolfe 1973, page 29f.
cases <- list(
  depression = list(
    x = c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30),
    y = c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
  ),
  six = list(x = round(rnorm(6), 3), y = round(rnorm(6), 3)),
  seven = list(x = round(rnorm(7, 1), 3), y = round(rnorm(7), 3)),
  some = list(x = round(rnorm(25, 0.3), 3), y = round(rnorm(25), 3)),
  many = list(x = round(rnorm(48, 0.5, 2), 3), y = round(rnorm(48), 3)),
  hundred = list(x = round(rnorm(100, -0.2), 4), y = round(rnorm(100), 4))
)
scores <- do.call(rbind, lapply(names(cases), function(case) data.frame(case, cases[[case]])))
expected <- do.call(rbind, lapply(names(cases), function(case) {
  x <- cases[[case]]$x
  y <- cases[[case]]$y
  d <- x - y
  n <- length(d)
  do.call(rbind, lapply(c(0.8, 0.9, 0.95, 0.99), function(level) {
    t <- t.test(x, y, paired = TRUE, conf.level = level)
    w <- suppressWarnings(wilcox.test(x, y, paired = TRUE, exact = TRUE, conf.int = TRUE, conf.level = level))
    dz <- mean(d) / sd(d)
    limit <- function(p) {
      off <- function(ncp) pt(sqrt(n) * dz, n - 1, ncp = ncp) - p
      uniroot(off, sqrt(n) * dz + c(-8, 8), tol = 1e-13)$root / sqrt(n)
    }
    data.frame(
      case, level, n, mean = t$estimate, t_low = t$conf.int[1], t_high = t$conf.int[2],
      hl = w$estimate, hl_low = w$conf.int[1], hl_high = w$conf.int[2], hl_level = attr(w$conf.int, "conf.level"),
      dz, dz_low = limit((1 + level) / 2), dz_high = limit((1 - level) / 2)
    )
  }))
}))
options(digits = 15)
write.csv(scores, file.path(folder, "effects_cases.csv"), row.names = FALSE, quote = FALSE)
write.csv(expected, file.path(folder, "effects_expected.csv"), row.names = FALSE, quote = FALSE)
