"""The tools over the Model Context Protocol: server, transports, permissions and recording."""
