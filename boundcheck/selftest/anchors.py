"""Reference values computed elsewhere (mpmath, independently), to notice a formula that moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Anchor:
    instance: str
    question: dict[str, Any]
    values: dict[tuple[str, int | None], str]

    @property
    def claims(self) -> list[str]:
        return sorted({claim for claim, _ in self.values})


ANCHORS = (
    Anchor(
        "paper",
        {"horizon": "1e5", "epsilon": "0.04", "delta": "2e-5", "digits": 20},
        {
            ("thm-7.1", None): "32523720.4038017562817065964692",
            ("sharp-7.1", None): "1093322.80305567918261254720301",
            ("thm-G.1", None): "811927.792202390019511849329524",
            ("thm-H.1", None): "3341604.32884537765811891160056",
            ("cor-7.2", None): "5787.63792718868139991647709250",
            ("sharp-4.3", None): "11.1564457071999184349956110178",
            ("thm-4.1a", 1): "11.6462764485066573973311863075",
            ("thm-5.3a", 1): "2785.84369275822811152794027851",
            ("thm-5.3a", 2): "14103.3336945885298146101976599",
            ("thm-5.3b", 3): "1151.29254649702284200899572734",
            ("sharp-5.3a", 1): "1124",
        },
    ),
    Anchor(
        "paper-gaussian",
        {"digits": 20},
        {
            ("thm-4.3", None): "26.3458679768203577727387251197",
            ("sharp-4.3", None): "37.8983945422535632808054277971",
        },
    ),
)

# count, delta, phi, rho
WIDTHS = (
    (1, 0.05, 2.00884370830433420195884458818, 1.35810151574061949849077026000),
    (10, 0.05, 0.518488659449964909855550082206, 0.429469408346737562064485682684),
    (1000, 0.01, 0.0661870359321289315925127190530, 0.0514699784658398544654501067304),
)
