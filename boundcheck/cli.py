"""`python -m boundcheck.cli`, as it was called before version 0.2; the same as `python -m boundcheck`."""

from boundcheck.terminal.commands import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
