"""The parts of `benchmarks/fuzz.py`.

workers.py    commands in processes that are killed when they use too much
serving.py    what such a process does
trials.py     every command on one instance, and what may be wrong with its answer
shrinking.py  a smaller instance that fails in the same way
inputs.py     malformed files and options          names.py   hostile names
requests.py   malformed requests to the server      places.py  read-only machines, data bombs
active.py     whether a document carries more than text
records.py    results on disk, so that a killed fuzz goes on; the figures
"""
