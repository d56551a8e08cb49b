"""The paper's symbols in addition to those of every theory, and quantities derived from them."""

from __future__ import annotations

from sympy import Symbol, symbols

from boundcheck.claims.symbols import *  # noqa: F403
from boundcheck.claims.symbols import LATEX, f_star, m, mu, sigma2

# the question
gamma, xi, d = symbols("gamma xi d", positive=True)

# the instance
L, m_L, mbar = symbols("L m_L mbar_L", positive=True)
mu_1, mu_before, mu_L, mu_after = symbols("mu_1 mu_{L-1} mu_L mu_{L+1}", real=True)
mu_N, mu_N_before = symbols("mu_N mu_{N-1}", real=True)
full_min = Symbol("min_j m_j mu_j", real=True)

# for our bound on OrchExplore's regret: the regret of slots
c_J, c_L = symbols("c_J c_L", real=True)
second = Symbol("Delta", real=True)  # further loss of a united slot's second arm
mu_K, mu_less = symbols("mu_K mu_k^-", real=True)  # mean of the worst arm; the next smaller mean
above_next, below_last = symbols("step_k fall_k", real=True)  # mu_k - mu_{k+1}, mu_{k-1} - mu_k
# bounds on the slots that an arm waits for an exploration
wait, wait_L, wait_in = symbols("rho_k rho_L rho'_k", positive=True)
# number of probabilities of a mean that are summed one by one
summed = Symbol("n_0", positive=True)
# the other arm of a pair
mu_j, m_j, fall_j = Symbol("mu_j", real=True), Symbol("m_j", positive=True), Symbol("fall_j")
# free levels: shares of the way from one mean to another, and numbers between two means
theta_b, theta_c, theta_e = symbols("theta_b theta_k theta_e", positive=True)
theta_y, theta_z = symbols("theta_y theta_z", positive=True)
x_1, x_2, x_3, x_4, x_5, y_L = symbols("x_1 x_2 x_3 x_4 x_5 y_L", real=True)

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
        second: r"\Delta",
        mu_K: r"\mu_K",
        mu_less: r"\mu_k^-",
        above_next: r"(\mu_k-\mu_{k+1})",
        below_last: r"(\mu_{k-1}-\mu_k)",
        fall_j: r"(\mu_{j-1}-\mu_j)",
        wait: r"\rho_k",
        wait_L: r"\rho_L",
        wait_in: r"\rho'_k",
        mu_j: r"\mu_j",
        m_j: r"m_j",
        theta_b: r"\theta_b",
        theta_c: r"\theta_k",
        theta_e: r"\theta_e",
        theta_y: r"\theta_y",
        theta_z: r"\theta_z",
    }
)

# cost of one united exploration of arm k with one deliberate exploration
w = f_star - m * mu + mu_1
w_L = w.xreplace({mu: mu_L, m: m_L})
# the largest regret of one slot
h = f_star - full_min
# mis-elimination ratio g_{L,k} and its analogue for unit capacities
g_L = (mu_1 - mu) / (mu_L - mu)
g_N = (mu_1 - mu) / (mu_N - mu)
snr = mu**2 / (m**2 * sigma2)  # signal-to-noise of arm k
