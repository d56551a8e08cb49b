"""What slots of `law-free` lose, for each arm: numbers of `exact.law_free_slots`, by their names.

Each takes the whole instance and the free levels, which are shares of the way between two numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sympy import Expr, Integer, Symbol, symbols

from boundcheck.claims import functions as fn
from boundcheck.claims.functions import ByLaw, OfAllArms, by_law, defined
from boundcheck.claims.symbols import LATEX
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import L, N, T, concentration, m, mu, sigma2

if TYPE_CHECKING:
    from boundcheck.calculator.numbers.domains import Array, Domain
    from boundcheck.calculator.setting import Setting

AVERAGES, BELOW, HEARD = symbols("share_averages share_averages_below share_heard", positive=True)
X, W_K, X_K, V = symbols("share_x share_w share_x' share_v", positive=True)
Y, Z, PASSED = symbols("share_y share_z share_passed", positive=True)
SHARES = {  # what `exact.law_free` calls them, and which arms have them
    "at": (AVERAGES, Arms.ALL),
    "below": (BELOW, Arms.ALL),
    "heard": (HEARD, Arms.ALL),
    "passed": (PASSED, Arms.SUBOPTIMAL),
    "x": (X, Arms.SUBOPTIMAL),
    "w": (W_K, Arms.SUBOPTIMAL),
    "x'": (X_K, Arms.SUBOPTIMAL),
    "y": (Y, Arms.FILLED),
    "z": (Z, Arms.FILLED),
    "v": (V, Arms.SUBOPTIMAL),
}
LATEX.update({symbol: rf"\theta^{{\mathrm{{{name}}}}}_k" for name, (symbol, _) in SHARES.items()})


@defined("1")
def _one(mu: Symbol) -> Expr:
    return Integer(1)


@defined("2")
def _two(mu: Symbol) -> Expr:
    return Integer(2)


@defined(r"\mathrm{{nan}}")
def _none(mu: Symbol) -> Expr:
    return fn.no_divergence.formula(mu, mu)


class ways(ByLaw):
    """In how many ways a capacity may be taken for a smaller one: by averages, by single values."""

    nargs = 1
    latex_form = r"\varphi"
    laws = by_law(_two, bernoulli=_one, gaussian=_none, gaussian_by_arm=_none)


@defined("0")
def _no_concentration(mu: Symbol) -> Expr:
    return Integer(0)


@defined("c")
def _concentration(mu: Symbol) -> Expr:
    return concentration


@defined(r"\sigma^2")
def _variance(mu: Symbol) -> Expr:
    return sigma2


class own(ByLaw):
    """The concentration of Beta rewards, 0 for other laws."""

    nargs = 1
    latex_form = r"c"
    laws = by_law(_no_concentration, beta=_concentration)


class scale(ByLaw):
    """The variance of rewards of which only a scale is known; none for rewards in [0, 1]."""

    nargs = 1
    latex_form = r"\sigma^2"
    laws = by_law(_none, gaussian=_variance, gaussian_by_arm=_variance)


_ARMS, _ZERO = (mu, m, N, L, T), Integer(0)
_INSTANCE = (*_ARMS, ways(mu), own(mu), _ZERO)  # for rewards in [0, 1]
_SCALE_INSTANCE = (*_ARMS, Integer(1), _ZERO, scale(mu))  # if only a scale is known
WORLD = (*_INSTANCE, *(symbol for symbol, _ in SHARES.values()))
UNHEARD = {name: pair for name, pair in SHARES.items() if name != "heard"}  # a y shows nothing
SCALE_WORLD = (
    *_SCALE_INSTANCE,
    *(symbol if name in UNHEARD else AVERAGES for name, (symbol, _) in SHARES.items()),
)


class LostSlots(OfAllArms):
    nargs = len(WORLD)
    named: ClassVar[str]

    @classmethod
    def whole(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.law_free_terms import lost_by_arm

        return lost_by_arm(domain, cls.named, tuple(SHARES), *arguments)


class displaced(LostSlots):
    """The most that is lost on bad arms while a good arm is outside."""

    latex_form, named = r"W_k", "displaced"


class displaced_below(LostSlots):
    """The same while its bound is b, for all b < m together."""

    latex_form, named = r"\sum_{{b<m_k}}W_{{k,b}}", "displaced_below"


class climbing_lost(LostSlots):
    """What is lost while a good arm has not reached its capacity."""

    latex_form, named = r"\mathrm{{Climb}}_k", "climbing_lost"


class own_lost(LostSlots):
    """What is lost on a bad arm that looks better than it is."""

    latex_form, named = r"A'_k", "own_lost"


class late_plays(LostSlots):
    """What is lost on bad arms that look no better than they are, in plays of a good arm."""

    latex_form, named = r"A_k", "late"


class short(LostSlots):
    """Slots in which a better arm misses plays."""

    latex_form, named = r"B_k", "short_of"


class tried_alone(LostSlots):
    """How often the test of a bad arm outside is tried."""

    latex_form, named = r"D_k", "tried_alone"


class larger_loads(LostSlots):
    """What trials of larger loads of a good arm lose."""

    latex_form, named = r"\mathrm{{Load}}_k", "direct"


class moved_worse(LostSlots):
    """What those of all bad arms lose together."""

    latex_form, named = r"\mathrm{{Load}}_{{>L}}", "worse_loads"


def best_shares(setting: Setting) -> dict[Symbol, Array]:
    """The levels that make the bound small at each point of a setting in floats."""
    return _found(setting, _INSTANCE)


def best_shares_of_scale(setting: Setting) -> dict[Symbol, Array]:
    """The same if only a scale is known."""
    return _found(setting, _SCALE_INSTANCE)


def _found(setting: Setting, instance: tuple[Expr, ...]) -> dict[Symbol, Array]:
    from boundcheck.calculator.numbers.domains import FLOATS
    from boundcheck.theories.shareable_arms.exact.law_free_terms import shares_found

    given = map(setting.evaluator(FLOATS), instance)
    found = shares_found(tuple(SHARES), *given)
    return {SHARES[name][0]: shares for name, shares in found.items()}
