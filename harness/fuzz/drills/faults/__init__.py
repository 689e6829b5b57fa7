"""The drill `faults`: the file-system calls of an operation fail, or its process is killed."""
