"""Finding a case and making it simple."""

from boundcheck.search.hunt import SearchLimit, hunt, simplest

__all__ = ["SearchLimit", "hunt", "simplest"]
