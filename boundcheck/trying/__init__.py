"""`try`: decide a bound that is typed as one line."""
