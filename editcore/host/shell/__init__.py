"""The tools that need the packages of the extra `tools`: bash, glob and grep, and what they share."""
