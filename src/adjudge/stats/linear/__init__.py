"""Linear models on factors: ANOVA, mixed models, Tukey's test, contrasts."""
