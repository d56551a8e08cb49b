"""The paper's symbols beside those of every theory, and the quantities derived from them."""

from __future__ import annotations

from sympy import Symbol, symbols

from boundcheck.claims.symbols import *  # noqa: F403
from boundcheck.claims.symbols import LATEX, f_star, m, mu, sigma2

# the instance
L, m_L, mbar = symbols("L m_L mbar_L", positive=True)
mu_1, mu_before, mu_L, mu_after = symbols("mu_1 mu_{L-1} mu_L mu_{L+1}", real=True)
mu_N, mu_N_before = symbols("mu_N mu_{N-1}", real=True)
full_min = Symbol("min_j m_j mu_j", real=True)
top_means = Symbol("sum_{j<=N} mu_j", real=True)

# OrchExplore, for our bound on its regret: what slots lose, how long an arm waits for a play
c_acc, c_J, c_L, c_far, c_near = symbols("c_acc c_J c_L c_far c_near", real=True)
few = Symbol("s", positive=True)  # the least number of arms that hold all plays
kept, wait = symbols("q rho_k", positive=True)
# and its free levels, between means
c_k, e_k, z_J, z_L = symbols("c_k e_k z_J z_L", real=True)
b_L, b_after, b_between = symbols("b b' b''", real=True)
y_k, y_L = symbols("y_k y_L", positive=True)

LATEX.update(
    {
        mu_1: r"\mu_1",
        mu_before: r"\mu_{L-1}",
        mu_L: r"\mu_L",
        mu_after: r"\mu_{L+1}",
        mu_N: r"\mu_N",
        mu_N_before: r"\mu_{N-1}",
        m_L: r"m_L",
        mbar: r"\bar m_L",
        full_min: r"\min_j m_j\mu_j",
        top_means: r"\sum_{j\le N}\mu_j",
        c_acc: r"c_{\mathrm{acc}}",
        c_far: r"c_{\mathrm{far}}",
        c_near: r"c_{\mathrm{near}}",
        wait: r"\rho_k",
    }
)

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
snr = mu**2 / (m**2 * sigma2)  # signal-to-noise of arm k
