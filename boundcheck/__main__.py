"""`python -m boundcheck`: the command line."""

from boundcheck.terminal.commands import main

main()
