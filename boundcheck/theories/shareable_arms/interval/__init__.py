"""Confidence intervals for a capacity: 5.1, 5.2, Hoeffding's form, and the interval for the
mean.
"""
