"""Everything that can be said about runs. Nothing here makes one."""
