"""What makes runs: the commands, the strategies, the runner, and the fuzzer."""
