"""Markers of envelopes, otherwise than they should be."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.markers import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
first_header_missing 1 two
-@@
-@@

blank_between_hunks 2 two
+
+
+
+
+
+

begin_missing 1 two
-*** Begin Patch

end_missing 1 two
-*** End Patch

both_markers_missing 1 two
-*** Begin Patch
-*** End Patch

envelope_per_file 1 two
+*** End Patch
+*** Begin Patch

end_between_files 1 two
+*** End Patch

end_glued 1 two
-     return words[-1]
+     return words[-1]*** End Patch
-*** End Patch

lower_case_markers 1 two
-*** Begin Patch
-*** Update File: src/store.py
+*** BEGIN PATCH
+*** UPDATE FILE: src/store.py
-*** Update File: src/text.py
+*** UPDATE FILE: src/text.py
-*** End Patch
+*** END PATCH

colons_after_markers 1 two
-*** Begin Patch
+*** Begin Patch:
-*** End Patch
+*** End Patch:

other_stars 1 two
-*** Begin Patch
+**** Begin Patch
-*** End Patch
+**** End Patch

unspaced_markers 1 two
-*** Update File: src/store.py
+*** Update File:src/store.py
-*** Update File: src/text.py
+*** Update File:src/text.py

unknown_action 1 two
-*** Update File: src/store.py
+*** Patch File: src/store.py
-*** Update File: src/text.py
+*** Patch File: src/text.py

action_missing 1 two
-*** Update File: src/store.py
+*** src/store.py
-*** Update File: src/text.py
+*** src/text.py

header_of_other_signs 1 two
-@@
+@@@
-@@
+@@@
-@@
+@@@

end_of_file_misplaced 1 two
+*** End of File

lines_after_end_of_file 1 two
+*** End of File
+*** End of File
+*** End of File

names_of_a_diff 1 two
+--- a/src/store.py
++++ b/src/store.py
+--- a/src/text.py
++++ b/src/text.py

diff_in_envelope 1 two
-*** Update File: src/store.py
-@@
+--- a/src/store.py
++++ b/src/store.py
+@@ -10,10 +10,11 @@
-@@
+@@ -23,7 +24,5 @@
-*** Update File: src/text.py
-@@
+--- a/src/text.py
++++ b/src/text.py
+@@ -1,4 +1,6 @@

section_per_hunk 1 two
+*** Update File: src/store.py

begin_doubled 2 two
+*** Begin Patch
+*** Begin Patch

padded_markers 2 two
-*** Begin Patch
+  *** Begin Patch··
-*** End Patch
+  *** End Patch··

header_doubled 2 two
+@@
+@@
+@@
+@@
+@@
+@@

blank_after_begin 2 two
+
+

blank_after_header 2 two
+
+
+
+

lines_squashed 2 two
+-        check(path)-        write(path)-        sync(path)
--        check(path)
--        write(path)
--        sync(path)
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines
