"""What aider's histories refer to: commits, and the edits in replies."""
