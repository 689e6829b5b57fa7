"""The commands of this section."""
