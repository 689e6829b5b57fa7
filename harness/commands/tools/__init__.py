"""Commands that let an agent use the tools."""
