"""The command line's commands, options and screens."""
