"""`python -m boundcheck.cli`: the same as `python -m boundcheck`, which is new in version 0.2."""

from boundcheck.terminal.commands import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
