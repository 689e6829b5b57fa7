"""How other agents apply Begin/End Patch envelopes, one agent per file, and the search that their rules share."""
