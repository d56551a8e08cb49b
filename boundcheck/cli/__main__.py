"""`python -m boundcheck.cli`."""

from boundcheck.cli import main

main()
