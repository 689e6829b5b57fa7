"""The text that is written at a place: the frame test, the merge, and the results of tiers."""
