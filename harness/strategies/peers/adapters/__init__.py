"""Other packages' ways to apply an edit, each made to answer in JSON lines.

These files run under the interpreter that has the package (`python -m adapters.NAME`, see the package above), so
they import the standard library, that package and `protocol`, nothing of editgauge.
"""
