"""Commands for nightly runs."""
