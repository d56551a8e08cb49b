"""Reading and writing files: instances, measurements, tables."""
