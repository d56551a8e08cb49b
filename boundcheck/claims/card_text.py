"""Cards as text, JSON and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulation import escaping
from simulation.formatting import human

if TYPE_CHECKING:
    from boundcheck.claims.card import Claim
    from boundcheck.theory import Theory


def standing(claim: Claim, theory: Theory | None) -> tuple[str, str]:
    """Verdict and severity from the last audit; "-" for a card that was not audited."""
    found = None if theory is None else theory.recorded(claim)
    return ("-", "-") if found is None else (str(found.verdict), str(found.severity or "-"))


def _spare(slack: float) -> str:
    """The sentence that explains the slack of a term."""
    if slack >= 1e6:
        return "even a million times tighter, the evidence of the selftest does not refute it"
    if slack == 1:
        return "any tightening is refuted by the evidence of the selftest"
    return "largest tightening that the evidence of the selftest does not refute"


def card_text(claim: Claim, theory: Theory | None = None) -> str:
    """A card as plain text, with the findings of the theory's last audit."""
    found = None if theory is None else theory.recorded(claim)
    trust = found.trust if found is not None else {}
    fields = {
        "source": claim.source,
        "kind": claim.kind.value + (", ours" if claim.ours else ""),
        "reading": claim.reading,
        "checked by": claim.checked_by,
        "formula compared with": claim.checked_against,
        "verdict": "not audited" if found is None else str(found),
        "proved": found.proved if found is not None else None,
        "proof rests on": ", ".join(f"{ground} ({count})" for ground, count in trust.items()),
        "read on": f"boundcheck verify INSTANCE --claim {claim.id}, or boundcheck audit",
    }
    optional = ("proved", "proof rests on", "formula compared with")
    lines = [f"{claim.id}: {claim.title}", "", claim.statement, ""]
    lines += [f"{name}: {told}" for name, told in fields.items() if told or name not in optional]
    for quantity in claim.quantities:
        lines += ["", f"{quantity.name} [{quantity.unit}]"]
        for term in quantity.terms:
            over = f" (sum over {term.over.words})" if term.over else ""
            where = f" if {term.when}" if term.when is not None else ""
            lines += [f"  {term.name}{over}{where}:", *_drawn(term.expression)]
            spare = None if theory is None else theory.slack(claim, quantity.name, term.name)
            if spare is not None:
                lines.append(f"    slack: {human(spare)} ({_spare(spare)})")
        lines += [f"  free: {level.words}" for level in quantity.levels]
    if not claim.quantities and claim.formula is not None:
        lines += ["", "formula:", *_drawn(claim.formula)]
    lists = {
        "assumptions": [f"{a.name}: {a.statement}" for a in claim.stated],
        "implicit assumptions, which the proof uses silently": [
            f"{a.name}: {a.statement}" for a in claim.implicit
        ],
        "repairs: what is wrong as printed, and what stands instead": [
            repair.sentence for repair in claim.repairs
        ],
    }
    for title, entries in lists.items():
        if entries:
            lines += ["", title, *(f"  {entry}" for entry in entries)]
    return "\n".join(lines)


_WIDEST_FORMULA = 76  # columns; a formula drawn over several lines must not be wrapped


def _drawn(expression: Any) -> list[str]:
    """The lines of a formula in Unicode if it fits, else one long line that can be wrapped."""
    import sympy

    from boundcheck.claims.symbols import sigma2

    plain = expression.subs(sigma2, sympy.Symbol("sigma", positive=True) ** 2)
    lines = sympy.pretty(plain, use_unicode=True, wrap_line=False).splitlines()
    if len(lines) > 1 and max(map(len, lines)) > _WIDEST_FORMULA:
        lines = [str(plain)]
    return [f"    {line}".rstrip() for line in lines]


def card_json(claim: Claim, theory: Theory | None = None) -> dict[str, Any]:
    """The row of `boundcheck claims --json`."""
    verdict, severity = (None if word == "-" else word for word in standing(claim, theory))
    return {
        "claim": claim.id,
        "title": claim.title,
        "source": claim.source,
        "kind": claim.kind.value,
        "ours": claim.ours,
        **{name: getattr(claim, name) for name in ("statement", "reading", "checked_by", "latex")},
        "verdict": verdict,
        "severity": severity,
        "quantities": [
            {
                "quantity": q.name,
                "unit": q.unit,
                "latex": q.latex,
                "terms": [
                    {
                        "name": t.name,
                        "over": t.over.words if t.over else None,
                        "expression": str(t.expression),
                        "latex": t.latex,
                    }
                    for t in q.terms
                ],
            }
            for q in claim.quantities
        ],
        "assumptions": [
            {"name": a.name, "statement": a.statement, "latex": a.latex, "implicit": implicit}
            for implicit, group in ((False, claim.stated), (True, claim.implicit))
            for a in group
        ],
        "repairs": [
            {name: getattr(r, name) for name in ("what", "instead", "claim")} for r in claim.repairs
        ],
    }


def card_html(claim: Claim) -> str:
    """The HTML of a card in a notebook."""
    lines = escaping.html(card_text(claim)).split("\n")
    return f"<h4>{lines[0]}</h4>$${claim.latex}$$<pre>" + "\n".join(lines[2:]) + "</pre>"
