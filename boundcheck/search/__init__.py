"""Search for examples, and simplify them."""

from boundcheck.search.hunt import SearchLimit, hunt, simplest

__all__ = ["SearchLimit", "hunt", "simplest"]
