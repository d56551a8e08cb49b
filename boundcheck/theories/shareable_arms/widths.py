"""Widths of confidence intervals: phi is uniform in time, rho is Hoeffding's, psi is joint."""

from __future__ import annotations

from sympy import Expr, Symbol, log, sqrt

from boundcheck.claims.functions import defined, logbar


@defined(r"\phi({0},{1})")
def phi(x: Symbol, delta: Symbol) -> Expr:
    return sqrt((1 + 1 / x) * log(2 * sqrt(x + 1) / delta) / (2 * x))


@defined(r"\rho({0},{1})")
def rho(x: Symbol, delta: Symbol) -> Expr:
    return sqrt(log(2 / delta) / (2 * x))


@defined(r"\psi({0},{1},{2})")
def psi(tau: Symbol, iota: Symbol, delta: Symbol, variance: Symbol) -> Expr:
    """The joint width for tau individual and iota united explorations, scale sigma."""
    spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
    return sqrt(2 * variance * spread * log(sqrt((tau + 1) * (iota + 1)) / delta))


@defined(r"U({0},{1})")
def U(tau: Symbol, T: Symbol) -> Expr:
    """The deviation allowed for an empirical gap after tau explorations."""
    return 2 * sqrt(2 * logbar(T / tau) / tau)
