"""Questions of `editgauge ask` as tasks of other evaluation frameworks; one framework per file."""
