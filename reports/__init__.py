"""Read, compare and render runs. Nothing here makes one."""
