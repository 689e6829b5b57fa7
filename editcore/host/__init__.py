"""What touches a disk, a process or a database: workspace, tools, shell and documents. Only programs import it.

The modules beside the folders say what a tool is: its parameters, permissions, calls, outputs and results.
"""
