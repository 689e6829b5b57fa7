"""Views of runs and comparisons: terminal tables, plots, the page, and the formats of CI systems."""
