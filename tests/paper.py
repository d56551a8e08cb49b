"""Functions of the engine, about the paper's theory: what most tests ask about."""

from functools import cache, partial

from boundcheck import plugins as _plugins
from boundcheck.calculator import setting as _setting
from boundcheck.claims import card_text as _text
from boundcheck.judging import decide as _decide
from boundcheck.judging import record as _record
from boundcheck.judging import run_context as _context
from boundcheck.pages import study as _study
from boundcheck.proof_steps import ledger as _ledger
from boundcheck.proof_steps import parts as _parts
from boundcheck.selftest import evidence as _evidence
from boundcheck.selftest import run as _selftest
from boundcheck.theories.shareable_arms import THEORY

PACKAGE = "boundcheck.theories.shareable_arms"
RunContext = partial(_context.RunContext, theory=THEORY)
exact_setting = partial(_setting.exact_setting, derive=THEORY.derive)
unmet = partial(_decide.unmet, derive=THEORY.derive)
recorded = partial(_record.recorded, PACKAGE)
recorded_slacks = partial(_record.slacks, PACKAGE)
certificates = partial(_record.certificates, PACKAGE)
theory_with = partial(_plugins.theory_with, THEORY)
study = partial(_study.study, theory=THEORY)
card_text = partial(_text.card_text, theory=THEORY)
misprinted = partial(_evidence.misprinted, theory=THEORY)
misassumed = partial(_evidence.misassumed, theory=THEORY)
of_claim = partial(_selftest.of_claim, THEORY)
same = partial(_parts.same, THEORY)


def steps(claim=None):
    return _ledger.steps(claim, THEORY)


def decided(step):
    return _ledger.Entry.of(step, THEORY)


@cache
def whole_ledger():
    """All steps, decided once in a process."""
    return tuple(_ledger.ledger(theory=THEORY))


def proved():
    return tuple(THEORY.proofs)
