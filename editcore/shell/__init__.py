"""Shell commands that edit files: what their text says, and what they would do, without running anything.

A coding agent that edits by `sed -i 's/foo/bar/' file` gets exit code 0 whether one place matched, ten or none. The
modules here work out the edits of such a command: `script` lists its commands and paths, `words` expands its words,
`sed` and `scripts_in_python` do what these programs do, `simulation` walks through the command, and `careful` refuses
what was hardly meant. All of it is text in, text out. What cannot be worked out raises `Unmeasured`: no guess is made.
"""
