"""One expression evaluated in four kinds of number: floats, digits, enclosures, fractions."""
