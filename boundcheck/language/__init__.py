"""The language in which claims can be typed as text (docs/language.md).

grammar.py parses a line, names.py defines names, formulas.py builds expressions and reading.py a
card.
"""
