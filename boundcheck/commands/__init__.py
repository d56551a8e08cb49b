"""What the command line calls: plain functions from values to results and JSON rows."""
