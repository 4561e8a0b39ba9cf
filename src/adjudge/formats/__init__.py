"""Importers, a module per format. Each has one `read(paths, ...)` that yields items; none writes or scores.

`incoming.take_all(folder, items)` carries an import out.
"""
