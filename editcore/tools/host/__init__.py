"""The tool host: what a tool is, its parameters, permissions and outputs, and which tools an agent has."""
