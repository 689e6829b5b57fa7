"""What wrong edits destroy that nobody asked to change: lines, and bytes outside the lines of the edit."""
