"""What the logs of one agent have beside its calls: changes, reads, versions of files, settings, submissions."""
