"""The host: everything that touches a disk, a process or a database. Only programs import it.

Its folders are workspace, tools, shell and documents. The modules beside them define a tool: its parameters,
permissions, calls, outputs and results.
"""
