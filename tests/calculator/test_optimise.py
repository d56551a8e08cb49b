"""How the free levels of a bound are moved."""

from __future__ import annotations

import numpy as np

from boundcheck.calculator.optimise import _bottom, _move
from boundcheck.calculator.setting import exact_setting
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.question import Question
from simulation.world.instance import Instance


def test_the_bottom_is_the_vertex_or_the_lower_end() -> None:
    places = np.array([[[0.2], [0.3], [0.4]]] * 4)
    curves = [(x - 0.33) ** 2 for x in (0.2, 0.3, 0.4)], [1, 2, 3], [3, 3.5, 3], [np.nan, 1, 2]
    with np.errstate(all="ignore"):
        found = _bottom(np.array(curves)[:, :, None], places)[:, 0]
    np.testing.assert_allclose(found[:2], [0.33, 0.2])  # a vertex; a line falls to the left
    assert set(found[2:]) <= {0.2, 0.4}  # it bends downwards; a value is missing


def test_a_move_changes_one_level_and_stays_between_its_ends() -> None:
    instance = Instance.load("paper")
    (quantity,) = THEORY.find("sharp-7.1").quantities
    setting = exact_setting(instance, Question(), THEORY.derive).in_floats()
    first = next(x for x in quantity.levels if x.over is None)
    places = {x: np.full((1, 1 if x.over is None else instance.arms), 0.5) for x in quantity.levels}
    terms = [t for t in quantity.terms if first.symbol in t.expression.free_symbols]
    for offsets in ([-0.3, 0, 0.3], [-5.0, 0, 5.0]):
        _move(first, terms, list(quantity.levels), setting, places, np.array(offsets))
        assert 0 < places[first].item() < 1
        assert all((places[x] == 0.5).all() for x in quantity.levels if x is not first)
