# Values that tests/stats/preference/test_models.py holds the tie models and the effect of position to.
# R 4.2.2, psychotools 0.7-2, MASS 7.3-58.2; run beside ties_and_position.csv: Rscript ties_and_position.R
#
# psychotools::btmodel with undecided = TRUE is Davidson's model: its log-linear form gives a tie the exponent
# "(undecided)" plus the mean of the two log strengths. It stops at position = TRUE ("not yet implemented"), so
# positions come from R's own glm (a logit with a column of ones; Davidson as a Poisson log-linear model with a column
# for the side) and from MASS::polr, whose two free cut points are Rao and Kupper's -t - d and t - d.
library(psychotools)
options(digits = 12)
d <- read.csv("ties_and_position.csv")
items <- c("a", "b", "c", "d")
x <- sapply(items, function(i) (d$first == i) - (d$second == i))[, -4]
show <- function(name, value) cat(name, formatC(value, digits = 12, format = "g"), "\n")

# Davidson, by psychotools: a subject per answer
pairs <- list(c(1, 2), c(1, 3), c(2, 3), c(1, 4), c(2, 4), c(3, 4))
y <- matrix(NA, nrow(d), 6)
for (k in seq_len(nrow(d))) {
  i <- match(d$first[k], items); j <- match(d$second[k], items)
  at <- which(sapply(pairs, function(p) all(sort(c(i, j)) == p)))
  y[k, at] <- d$answer[k] * ifelse(i < j, 1, -1)
}
pc <- paircomp(y, labels = items, mscale = -1:1)
m <- btmodel(pc, undecided = TRUE, ref = "d")
show("davidson", coef(m)); show("davidson se", sqrt(diag(vcov(m)))); show("davidson loglik", m$loglik)
tryCatch(btmodel(pc, position = TRUE), error = function(e) cat("position:", conditionMessage(e), "\n"))

# Half wins: a tie is half a win and half a loss
long <- function(answer) data.frame(x[rep(seq_len(nrow(d)), 2), ], position = 1,
  won = rep(c(1, 0), each = nrow(d)), w = c((answer + 1) / 2, (1 - answer) / 2))
h <- suppressWarnings(glm(won ~ a + b + c - 1, binomial, long(d$answer), weights = w, epsilon = 1e-14))
show("half", coef(h)); show("half se", sqrt(diag(vcov(h))))
h <- suppressWarnings(glm(won ~ a + b + c + position - 1, binomial, long(d$answer), weights = w, epsilon = 1e-14))
show("half position", coef(h)); show("half position se", sqrt(diag(vcov(h))))

# Davidson with an effect of the side, as a Poisson model: three cells an answer
cell <- rep(seq_len(nrow(d)), each = 3); side <- rep(c(.5, 0, -.5), nrow(d))
p <- data.frame(x[cell, ] * side, position = side, tie = as.numeric(side == 0), block = factor(cell),
  n = as.numeric(sign(side) == d$answer[cell]))
g <- glm(n ~ a + b + c + position + tie + block - 1, poisson, p, epsilon = 1e-14, maxit = 100)
show("davidson position", coef(g)[1:5]); show("davidson position se", sqrt(diag(vcov(g)))[1:5])

# Rao and Kupper with an effect of the side: a cumulative logit with two free cut points
r <- MASS::polr(factor(d$answer, levels = c(-1, 0, 1)) ~ x, Hess = TRUE, control = list(reltol = 1e-15))
cuts <- r$zeta; v <- vcov(r)
show("rao-kupper position", c(coef(r), -mean(cuts), diff(cuts) / 2))
k <- rbind(cbind(diag(3), 0, 0), c(0, 0, 0, -.5, -.5), c(0, 0, 0, -.5, .5))
show("rao-kupper position se", sqrt(diag(k %*% v %*% t(k))))
show("rao-kupper position loglik", as.numeric(logLik(r)))
