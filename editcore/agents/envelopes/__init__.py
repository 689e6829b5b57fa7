"""How other agents apply Begin/End Patch envelopes."""
