"""Run folders: their layout, and how they are written, read, merged and queried."""
