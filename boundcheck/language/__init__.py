"""Claims as text.

grammar.py reads a line, names.py says what names mean, formulas.py makes expressions of it and
reading.py a card.
"""
