# Rogan and Gladen's share and Lang and Reiczigel's interval: R 4.2.2, run as `Rscript screening.R`.
# Written from the paper (equations 2, 4, 6, 7, 16 and 17, with (1 - P)^2 in equation 4), not from any package.
cases <- data.frame(
  yes = c(60, 3, 25, 0, 40, 200, 12), n = c(200, 263, 50, 80, 40, 1000, 30),
  yes_found = c(50, 88, 20, 18, 29, 480, 7), yes_n = c(60, 89, 30, 20, 30, 500, 10),
  no_found = c(48, 132, 40, 35, 30, 900, 15), no_n = c(60, 134, 50, 40, 40, 950, 20),
  level = c(.95, .95, .90, .95, .95, .99, .95)
)
limits <- function(k, n, ks, ns, kp, np, level) {
  z <- qnorm(1 - (1 - level) / 2)
  P <- (k / n + kp / np - 1) / (ks / ns + kp / np - 1)
  n1 <- n + z^2; ap <- (k + z^2 / 2) / n1
  Se <- (ks + 1) / (ns + 2); Sp <- (kp + 1) / (np + 2)
  Pa <- (ap + Sp - 1) / (Se + Sp - 1)
  v <- (ap * (1 - ap) / n1 + Pa^2 * Se * (1 - Se) / (ns + 2) + (1 - Pa)^2 * Sp * (1 - Sp) / (np + 2)) / (Se + Sp - 1)^2
  d <- 2 * z^2 * (Pa * Se * (1 - Se) / (ns + 2) - (1 - Pa) * Sp * (1 - Sp) / (np + 2))
  pmin(1, pmax(0, c(P, Pa + d - z * sqrt(v), Pa + d + z * sqrt(v))))
}
found <- t(apply(cases, 1, function(r) limits(r[1], r[2], r[3], r[4], r[5], r[6], r[7])))
write.csv(cbind(cases, estimate = sprintf("%.12f", found[, 1]), low = sprintf("%.12f", found[, 2]),
                high = sprintf("%.12f", found[, 3])), "screening_expected.csv", row.names = FALSE, quote = FALSE)
