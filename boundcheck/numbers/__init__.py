"""One expression, as floats, digits, certified balls or exact fractions."""
