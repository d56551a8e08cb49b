"""Every planted mistake is noticed, and nothing is noticed where nothing is planted."""

from __future__ import annotations

from boundcheck.selftest import selftest
from boundcheck.selftest.mutations import MUTATIONS


def test_every_planted_mistake_is_caught():
    outcomes = selftest(every=False)
    assert len(outcomes) == len(MUTATIONS) >= 15
    assert [o.mutation for o in outcomes if not o.caught] == []
    assert all(set(o.to_json()) == {"mutation", "caught", "by"} for o in outcomes)


def test_planted_mistakes_are_taken_out_again():
    from boundcheck.selftest.detectors import DETECTORS

    for plant in list(MUTATIONS.values())[:12]:  # those in claims and formulas
        with plant():
            pass
    assert DETECTORS["reference values of the bounds"]()
    assert DETECTORS["reference values of the widths"]()
