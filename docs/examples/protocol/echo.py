"""The least a command can do: it changes nothing. What it takes per sample is what the pipes take.

editgauge protocol check 'python3 -S echo.py'
"""

import sys

for line in sys.stdin.buffer:
    head, _, rest = line.partition(b',"format":')
    before = rest[rest.index(b'"before":') + 9 : rest.rindex(b',"edits":')]
    sys.stdout.buffer.write(head + b',"status":"applied","after":' + before + b"}\n")
    sys.stdout.buffer.flush()
