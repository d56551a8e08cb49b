"""Upper bounds on the regret of policies, as they were published."""

from __future__ import annotations

from sympy import Integer, Symbol, pi, sqrt

from boundcheck.claims import symbols as s
from boundcheck.claims.card import Level, Repair, Term
from boundcheck.claims.functions import kl_bernoulli, law_divergence
from boundcheck.claims.unevaluated import exp, log
from boundcheck.theories.classic.symbols import (
    AT_LEAST_K,
    BERNOULLI,
    BOUNDED,
    EXPLORES_WITHIN_T,
    SUBGAUSSIAN,
    TWO_ARMS,
    WORSE,
    alpha,
    every,
    growth,
    regret,
    summed,
)

T, K, n, gap = s.T, s.K, s.n, s.gap
AUER = "Auer, Cesa-Bianchi and Fischer 2002"
LS = "Lattimore and Szepesvari 2020"
BCB = "Bubeck and Cesa-Bianchi 2012"
e1, share = (Symbol(name, positive=True) for name in ("e_1", "w"))
LOG_F = log(1 + T * log(T) ** 2)

UCB1 = regret(
    "ucb1",
    "ucb1",
    f"{AUER}, Theorem 1",
    "Regret of UCB1",
    (summed("exploration", 8 * log(T) / gap), every("rare errors", (1 + pi**2 / 3) * gap)),
    (BOUNDED,),
    "every T, any laws on [0, 1]",
)
MOSS = regret(
    "moss",
    "moss",
    "Audibert and Bubeck 2009, Theorem 5",
    "Regret of MOSS on every instance",
    (Term("regret", 49 * sqrt(T * K)),),
    (BOUNDED,),
    "every instance, given T",
    over="instances",
)
MOSS_LS = regret(
    "moss-ls",
    "moss-ls",
    f"{LS}, Theorem 9.1",
    "Regret of MOSS for subgaussian rewards on every instance",
    (Term("regret", 39 * sqrt(T * K)), every("first plays", gap)),
    (SUBGAUSSIAN,),
    "every instance, given T",
    over="instances",
    implicit=(AT_LEAST_K,),
    premise=True,
)
UCB = regret(
    "ucb",
    "ucb",
    f"{LS}, Theorem 7.1",
    "Regret of UCB with delta = 1/T^2",
    (summed("exploration", 16 * log(T) / gap), every("first plays", 3 * gap)),
    (SUBGAUSSIAN,),
    "given T",
)
UCB_WORST = regret(
    "ucb-worst",
    "ucb",
    f"{LS}, Theorem 7.2",
    "Regret of UCB on every instance",
    (Term("near ties", 8 * sqrt(T * K * log(T))), every("first plays", 3 * gap)),
    (SUBGAUSSIAN,),
    "every instance, given T",
    over="instances",
)
UCB_ASYMPTOTIC = regret(
    "ucb-asymptotic",
    "ucb-asymptotic",
    f"{LS}, Theorem 8.1",
    "Regret of asymptotically optimal UCB",
    (
        summed("exploration", 2 * gap * (LOG_F + sqrt(pi * LOG_F) + 1) / (gap - e1) ** 2),
        summed("rare errors", gap * (1 + 5 / e1**2)),
    ),
    (SUBGAUSSIAN,),
    "every T; the free number of each arm is chosen best",
    levels=(Level(e1, Integer(0), gap, WORSE),),
)
UCB_LIMIT = growth(
    "ucb-asymptotic-limit",
    "ucb-asymptotic",
    f"{LS}, Theorem 8.1",
    "Growth of asymptotically optimal UCB",
    summed("worse arms", 2 / gap),
    SUBGAUSSIAN,
)
KL_UCB = regret(
    "kl-ucb",
    "kl-ucb-ls",
    f"{LS}, Theorem 10.6",
    "Regret of KL-UCB",
    (
        summed("exploration", gap * LOG_F / kl_bernoulli(s.mu + e1, s.best - share * (gap - e1))),
        summed("too high", gap / (2 * e1**2)),
        summed("too low", 2 * gap / (share * (gap - e1)) ** 2),
    ),
    (BERNOULLI,),
    "every T; the two free numbers of each arm are chosen best",
    levels=(Level(e1, Integer(0), gap, WORSE), Level(share, Integer(0), Integer(1), WORSE)),
)
KL_UCB_LIMIT = growth(
    "kl-ucb-limit",
    "kl-ucb-ls",
    f"{LS}, Theorem 10.6",
    "Growth of KL-UCB",
    summed("worse arms", gap / law_divergence(s.mu, s.best)),
    BERNOULLI,
)
ETC = regret(
    "etc",
    "etc",
    f"{LS}, Theorem 6.1",
    "Regret of explore-then-commit with m plays of each arm",
    (
        every("exploring", n * gap),
        summed("wrong arm for good", (T - n * K) * gap * exp(-n * gap**2 / 4)),
    ),
    (SUBGAUSSIAN, EXPLORES_WITHIN_T),
    "m plays of each arm, m K <= T",
    options=(("m", n),),
)
BCB_BOUNDED = regret(
    "alpha-ucb",
    "alpha-ucb",
    f"{BCB}, Theorem 2.1 and (2.4)",
    "Regret of UCB with a factor alpha",
    (summed("exploration", 2 * alpha * log(T) / gap), summed("rare errors", alpha / (alpha - 2))),
    (BOUNDED,),
    "alpha = 3, rewards in [0, 1]",
    options=(("alpha", alpha),),
)
BCB_CORRECTED = regret(
    "alpha-ucb-subgaussian",
    "alpha-ucb-subgaussian",
    f"{BCB}, Theorem 2.1, corrected",
    "Regret of UCB with a factor alpha, subgaussian rewards",
    (
        summed("exploration", 8 * alpha * log(T) / gap),
        summed("rare errors", gap * alpha / (alpha - 2)),
    ),
    (SUBGAUSSIAN,),
    "alpha = 3; the last term has the factor gap of the proof",
    options=(("alpha", alpha),),
)
BCB_PRINTED = regret(
    "alpha-ucb-printed",
    "alpha-ucb-subgaussian",
    f"{BCB}, Theorem 2.1, as printed",
    "Regret of UCB with a factor alpha, subgaussian rewards (as printed)",
    (summed("exploration", 8 * alpha * log(T) / gap), summed("rare errors", alpha / (alpha - 2))),
    (SUBGAUSSIAN,),
    "alpha = 3; the last term without the factor gap",
    options=(("alpha", alpha),),
    repairs=(
        Repair(
            "The last term is printed without the gap.",
            "With the factor gap, as in the proof, it holds.",
            "alpha-ucb-subgaussian",
        ),
    ),
)
THOMPSON = regret(
    "thompson",
    "thompson",
    "Agrawal and Goyal 2012, Theorem 1",
    "Regret of Thompson sampling with two arms",
    (summed("exploration", 40 * log(T) / gap), summed("rare errors", 48 / gap**3 + 18 * gap)),
    (BOUNDED, TWO_ARMS),
    "two arms, uniform priors",
)
CARDS = (
    *(UCB1, MOSS, MOSS_LS, UCB, UCB_WORST, UCB_ASYMPTOTIC, UCB_LIMIT, KL_UCB, KL_UCB_LIMIT, ETC),
    *(BCB_BOUNDED, BCB_CORRECTED, BCB_PRINTED, THOMPSON),
)
