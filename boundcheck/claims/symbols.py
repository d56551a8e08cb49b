"""The symbols that every theory's formulas use, and their LaTeX; a theory adds its own.

Arms are ranked by mean, best first: mu_k and m_k belong to the k-th best arm. A symbol is given by
the instance (means, capacities, plays, variance, and what follows from them for the optimal action)
or is a parameter of the question (horizon, confidence, epsilon, ...).
"""

from __future__ import annotations

from sympy import Symbol, symbols

# one arm
mu, m = Symbol("mu_k", real=True), Symbol("m_k", positive=True)
gap = Symbol("Delta_k", real=True)  # best - mu
rank = Symbol("k", positive=True)

# the instance
K, N, sigma2 = symbols("K N sigma2", positive=True)
concentration = Symbol("c", positive=True)  # of Beta rewards
best = Symbol("mu_*", real=True)  # the largest mean
f_star = Symbol("f(a*)", real=True)
largest_regret = Symbol("max_a (f(a*) - f(a))", real=True)
smallest_gap = Symbol("min_k (mu_k - mu_{k+1})", real=True)

# the question
T, delta, epsilon, n = symbols("T delta epsilon n", positive=True)

# a sample of n rewards
sample_variance = Symbol("V_n", real=True)  # divided by n - 1

LATEX = {
    mu: r"\mu_k",
    m: r"m_k",
    gap: r"\Delta_k",
    best: r"\mu_*",
    sigma2: r"\sigma^2",
    f_star: r"f(a^*)",
    largest_regret: r"\max_a(f(a^*)-f(a))",
    smallest_gap: r"\min_j(\mu_j-\mu_{j+1})",
    epsilon: r"\varepsilon",
    sample_variance: r"V_n",
}
