"""Files that are read and written: instances, measurements, tables."""
