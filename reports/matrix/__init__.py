"""The matrix of programs, versions, defects and rates: results, their check, and the page."""
