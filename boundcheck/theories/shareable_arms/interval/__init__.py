"""The confidence interval of a capacity: 5.1, 5.2, the Hoeffding forms, and the mean below it."""
