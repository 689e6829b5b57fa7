"""The tools over the Model Context Protocol: the server, its transports, the user's permission, the recording."""
