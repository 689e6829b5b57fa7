"""Reading patches: the text of a diff or an envelope -> sections and hunks."""
