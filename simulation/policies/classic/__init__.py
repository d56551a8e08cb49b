"""Textbook policies for a standard bandit: one play in a slot, on any arm.

    ucb1            mean + sqrt(2 log(t - 1) / n)                Auer, Cesa-Bianchi, Fischer 2002
    alpha-ucb       mean + sqrt(alpha log t / (2 n))             Bubeck, Cesa-Bianchi 2012
    alpha-ucb-subgaussian   mean + sqrt(2 alpha log t / n)       the same, subgaussian rewards
    ucb             mean + sqrt(4 log T / n), given T             Lattimore, Szepesvari, chapter 7
    ucb-asymptotic  mean + sqrt(2 log(1 + t log^2 t) / n)        the same, chapter 8
    moss            mean + sqrt(log+(T / (K n)) / n), given T     Audibert, Bubeck 2009
    moss-ls         mean + sqrt(4 log+(T / (K n)) / n), given T   Lattimore, Szepesvari, chapter 9
    moss-anytime    mean + sqrt(1.175 log+((t - 1) / (K n)) / n) Degenne, Perchet 2016
    kl-ucb          largest q with n kl(mean, q) <= log s + 3 log log s     Garivier, Cappe 2011
    kl-ucb-ls       the same with log(1 + t log^2 t)             Lattimore, Szepesvari, chapter 10
    thompson        a mean from the posterior: Beta(1, 1) prior, or flat with normal rewards
    etc             m plays of each arm, then always the best mean
    exp3            weights exp(-eta estimated loss), eta = sqrt(c log K / (T K)), given T
    epsilon-greedy  any arm with chance min(1, c K / (d^2 t)), else the best mean
    gaussian-stop   two arms in turn until their means are apart, for normal rewards

Here n counts the plays of an arm and log+ is max(log, 0). An index policy plays every arm once, in
their order, and then the arm of the largest index, the first of equal ones (KL-UCB: the one played
last, if it is among them), in slot t, after s = t - 1 plays. `kl` is that of two Bernoulli laws.
Policies in one file are compiled together, so they have the same `decide` and `learn`;
`one_play.py` has what several files share.
"""

FILES = {
    "ucb1": "ucb1",
    "alpha-ucb": "alpha_ucb",
    "alpha-ucb-subgaussian": "alpha_ucb",
    "ucb": "ucb",
    "ucb-asymptotic": "ucb_asymptotic",
    "moss": "moss",
    "moss-ls": "moss",
    "moss-anytime": "moss",
    "kl-ucb": "kl_ucb",
    "kl-ucb-ls": "kl_ucb",
    "thompson": "thompson",
    "etc": "etc",
    "exp3": "exp3",
    "epsilon-greedy": "epsilon_greedy",
    "gaussian-stop": "gaussian_stop",
}
