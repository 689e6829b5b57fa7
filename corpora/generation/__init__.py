"""Generated corpora: clean edits and mutators -> samples, audited and judged again by a referee."""
