"""The tool host: what a tool is, which tools an agent has, their parameters, permissions and outputs."""
