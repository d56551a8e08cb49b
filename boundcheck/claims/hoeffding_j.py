"""Appendix J: the interval of 5.1 to 5.3 with Hoeffding's width (J.1, J.2, J.3)."""

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Term
from boundcheck.claims.lem_5 import iota, tau
from boundcheck.claims.thm_5_3 import NARROW, SIZE
from boundcheck.functions import rho
from boundcheck.ranks import Arms
from boundcheck.symbols import delta

HOEFFDING_WIDTH = rho(tau, delta) + rho(iota, delta)

CLAIMS = (
    Claim(
        id="lem-J.1",
        title="Hoeffding interval for a capacity at one time",
        source="Lemma J.1 (lma:ici_hfd)",
        kind=Kind.COVERAGE,
        statement="At one fixed time the capacity lies in [nu/(mu + s), nu/(mu - s)] with "
        "probability at least 1 - delta, s the sum of the two Hoeffding widths.",
        reading="the upper end is infinite where mu_hat <= s",
        checked_by="exact normal or binomial computation at one time",
        assumptions=(given.VARIANCE,),
        implicit=(given.SUB_GAUSSIAN,),
        formula=HOEFFDING_WIDTH,
        repairs=(Repair("The union bound gives 2 delta.", "A direct argument gives delta."),),
    ),
    Claim(
        id="lem-J.2",
        title="The Hoeffding estimator is right when its bounds meet",
        source="Lemma J.2",
        kind=Kind.COVERAGE,
        statement="If the Hoeffding bounds of a capacity meet, their common value is the capacity "
        "with probability at least 1 - delta.",
        reading="unconditional: P(bounds meet at a wrong value) <= delta",
        checked_by="exact binomial lattices",
        assumptions=(given.VARIANCE,),
        implicit=(given.SUB_GAUSSIAN,),
        formula=HOEFFDING_WIDTH,
        repairs=(
            Repair("As a conditional statement it is false.", "The unconditional form is meant."),
        ),
    ),
    Claim(
        id="cor-J.3",
        title="Explorations that suffice with Hoeffding's width",
        source="Corollary J.3",
        kind=Kind.UPPER_BOUND,
        statement="With this many explorations of each kind the Hoeffding estimator is right with "
        "probability at least 1 - delta at that one time.",
        reading="one fixed pair of counts",
        checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
        assumptions=(given.VARIANCE, given.POSITIVE),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(
            Quantity(
                "explorations of each kind",
                "explorations",
                (Term("explorations", SIZE / 2),),
                Arms.ALL,
            ),
        ),
        formula=HOEFFDING_WIDTH,
        repairs=(NARROW,),
    ),
)
