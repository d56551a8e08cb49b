"""`python -m boundcheck`: the command line."""

from boundcheck.cli import main

main()
