"""Run folders: what a run leaves behind, and how it is written, read, merged and queried."""
