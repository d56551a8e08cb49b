"""The names that formulas are written in, and the quantities the theory derives from them.

Arms are ranked by mean, best first: mu_k and m_k belong to the k-th best arm. A symbol is either
given by the instance (means, capacities, plays, variance and what the optimal action makes of
them) or a parameter of the question asked (horizon, confidence, epsilon, ...).
"""

from __future__ import annotations

from sympy import Symbol

# one arm
mu = Symbol("mu_k", real=True)
m = Symbol("m_k", positive=True)

# the instance
K = Symbol("K", positive=True)
N = Symbol("N", positive=True)
L = Symbol("L", positive=True)
mu_1 = Symbol("mu_1", real=True)
mu_before = Symbol("mu_{L-1}", real=True)
mu_L = Symbol("mu_L", real=True)
mu_after = Symbol("mu_{L+1}", real=True)
mu_N = Symbol("mu_N", real=True)
mu_N_before = Symbol("mu_{N-1}", real=True)
m_L = Symbol("m_L", positive=True)
mbar = Symbol("mbar_L", positive=True)
sigma2 = Symbol("sigma2", positive=True)
concentration = Symbol("c", positive=True)  # of Beta rewards
f_star = Symbol("f(a*)", real=True)
largest_regret = Symbol("max_a (f(a*) - f(a))", real=True)
full_min = Symbol("min_j m_j mu_j", real=True)
top_means = Symbol("sum_{j<=N} mu_j", real=True)
smallest_gap = Symbol("min_k (mu_k - mu_{k+1})", real=True)

# the question
T = Symbol("T", positive=True)
delta = Symbol("delta", positive=True)
epsilon = Symbol("epsilon", positive=True)
gamma = Symbol("gamma", positive=True)
xi = Symbol("xi", positive=True)
d = Symbol("d", positive=True)
n = Symbol("n", positive=True)

# OrchExplore, for our bound on its regret: what slots lose, how long an arm waits for a play
c_acc = Symbol("c_acc", real=True)
c_J = Symbol("c_J", real=True)
c_L = Symbol("c_L", real=True)
c_far = Symbol("c_far", real=True)
c_near = Symbol("c_near", real=True)
few = Symbol("s", positive=True)  # the least number of arms that hold all plays
kept = Symbol("q", positive=True)
wait = Symbol("rho_k", positive=True)
# and its free levels, between means
c_k = Symbol("c_k", real=True)
e_k = Symbol("e_k", real=True)
y_k = Symbol("y_k", positive=True)
y_L = Symbol("y_L", positive=True)
z_J = Symbol("z_J", real=True)
z_L = Symbol("z_L", real=True)
b_L = Symbol("b", real=True)
b_after = Symbol("b'", real=True)
b_between = Symbol("b''", real=True)

LATEX = {
    mu: r"\mu_k",
    m: r"m_k",
    mu_1: r"\mu_1",
    mu_before: r"\mu_{L-1}",
    mu_L: r"\mu_L",
    mu_after: r"\mu_{L+1}",
    mu_N: r"\mu_N",
    mu_N_before: r"\mu_{N-1}",
    m_L: r"m_L",
    mbar: r"\bar m_L",
    sigma2: r"\sigma^2",
    f_star: r"f(a^*)",
    largest_regret: r"\max_a(f(a^*)-f(a))",
    full_min: r"\min_j m_j\mu_j",
    top_means: r"\sum_{j\le N}\mu_j",
    smallest_gap: r"\min_j(\mu_j-\mu_{j+1})",
    epsilon: r"\varepsilon",
    c_acc: r"c_{\mathrm{acc}}",
    c_far: r"c_{\mathrm{far}}",
    c_near: r"c_{\mathrm{near}}",
    wait: r"\rho_k",
}

# cost of one united exploration of arm k and of one deliberate exploration beside it
w = f_star - m * mu + mu_1
w_L = w.xreplace({mu: mu_L, m: m_L})
# the same with the base cost of a slot that plays the N best arms once each
base_cost = f_star - top_means
w_prime = w + base_cost
# the largest regret of one slot
h = f_star - full_min
# mis-elimination ratio g_{L,k} and its twin for unit capacities
g_L = (mu_1 - mu) / (mu_L - mu)
g_N = (mu_1 - mu) / (mu_N - mu)
# signal-to-noise of arm k, and of telling its capacity from d - 1
snr = mu**2 / (m**2 * sigma2)
snr_threshold = (m - d + 1) ** 2 * mu**2 / (m**2 * sigma2)
