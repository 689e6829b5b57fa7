"""Tools that look round a project: bash, glob and grep."""
