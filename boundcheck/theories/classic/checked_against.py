"""The public text that the formula of each card was compared with.

Auer's paper was read as recognised characters of its scan; a statement in Lean is one of
prove2me/formalpedia, written from the printed theorem with its page. Whether its proof was accepted
there is said; the proofs were not run again. Chapters of Lattimore and Szepesvari were compared
with page scans of the draft of 2018, too, where that is said.
"""

SCAN = "the scan of the paper and two digests"
PROVED = "a statement in Lean, listed as proved"
STATED = "a statement in Lean, not proved there"
DRAFT = f"{PROVED}; the draft of 2018"
CHECKED_AGAINST = {
    "ucb1": SCAN,
    "moss": "a digest in a public repository",
    "moss-ls": PROVED,
    "ucb": PROVED,
    "ucb-worst": PROVED,
    "ucb-asymptotic": DRAFT,
    "ucb-asymptotic-limit": DRAFT,
    "kl-ucb": DRAFT,
    "kl-ucb-limit": DRAFT,
    "etc": f"{PROVED}; lean-bandits, a proof checked by Lean",
    "alpha-ucb": STATED,
    "alpha-ucb-subgaussian": STATED,
    "alpha-ucb-printed": STATED,
    "thompson": STATED,
    "epsilon-greedy": SCAN,
    "epsilon-greedy-printed": SCAN,
    "lai-robbins": STATED,
    "minimax-gaussian": PROVED,
    "minimax-bernoulli": STATED,
    "minimax-bernoulli-printed": STATED,
    "best-arm": STATED,
    "best-arm-printed": STATED,
    "best-arm-two-points": f"{PROVED}; for two points the number is attained",
    "hoeffding": "Mathlib, a proof checked by Lean",
    "maurer-pontil": STATED,
    "mixture": PROVED,
    "regression": f"the mixture bound, of which it is a case: {PROVED}",
    "regression-printed": "a transcription of the theorem; that it fails is computed here",
    "student-tail": SCAN,
    "chi-square-tail": SCAN,
}
