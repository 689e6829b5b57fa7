"""Commands that run no other program, whatever their arguments, and where their arguments name files.

A pattern for more commands of a kind (`ls *`) is offered for these alone. It is an allow-list, because programs that
run others are without number: wrappers (`env`, `setsid`, `busybox`), interpreters (`awk`, `python3.11`), and options
that few know (`sort --compress-program`, `sed` with `e`, `git grep -O`, `printf -v 'a[$(...)]'`). Whoever adds a name
has read its manual for programs it runs and for files it writes by an option.
"""

from __future__ import annotations

FILE_COMMANDS = frozenset({
    "basename", "cat", "cd", "chgrp", "chmod", "chown", "cksum", "cmp", "comm", "cp", "cut", "df", "dirname", "du",
    "expand", "fold", "head", "ln", "ls", "md5sum", "mkdir", "mv", "nl", "paste", "pushd", "readlink", "realpath", "rm",
    "rmdir", "sha1sum", "sha256sum", "stat", "tac", "tail", "tee", "touch", "unexpand", "wc",
})  # fmt: skip
"""Their arguments are paths, apart from options."""
PATTERN_COMMANDS = frozenset({"egrep", "fgrep", "grep"})
"""Their arguments are a pattern and then paths."""
TEXT_COMMANDS = frozenset({
    ":", "date", "echo", "false", "id", "nproc", "popd", "pwd", "seq", "sleep", "tr", "true", "uname", "whoami",
})  # fmt: skip
"""Their arguments are no paths."""
QUIET = FILE_COMMANDS | PATTERN_COMMANDS | TEXT_COMMANDS
QUIET_SUBCOMMANDS = {
    "git": frozenset({"describe", "ls-files", "ls-tree", "merge-base", "rev-parse", "show-ref", "status"}),
}
"""Program -> its subcommands that run no other program and write no file that an option names."""
WRITES_ARGUMENTS = frozenset({"tee"})
"""They write to each file they are given, as a redirection does."""
ENTERS_DIRECTORIES = frozenset({"cd", "pushd"})
