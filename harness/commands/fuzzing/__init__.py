"""The commands that fuzz: `fuzz` and its commands, and `shrink`."""
