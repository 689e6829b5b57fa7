"""What a command is worked out to do is what bash, with the programs of this machine, does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from editcore.shell.simulation import Place, simulate
from editcore.shell.words import Unmeasured

FILES = {
    "a.py": "width = 1\nheight = 2\n\nprint(width, height)\n",
    "b.py": "width = 3\n",
    "sub/c.txt": "one\ntwo\nthree\n",
    "crlf.txt": "one\r\ntwo\r\n",
}
SHELL = """
cat > new.txt <<'EOF'
$HOME `date` \\ kept
EOF
---
X=5; cat > new.txt <<EOF
value $X and \\$X
EOF
---
echo one > new.txt; echo two >> new.txt; echo -n three >> new.txt
---
printf 'a = %s\\n%s\\n' 1 two > new.txt
---
printf '%s' "tab\\tno" > new.txt
---
cat a.py b.py > both.py && rm b.py
---
cat missing.txt > new.txt || echo failed > new.txt
---
cat nothing.txt && echo yes > new.txt
---
sed 's/width/size/' a.py > new.py && mv new.py a.py
---
cp a.py c.py; rm -f missing.py a.py; touch b.py empty.py
---
cd sub && sed -i 's/two/TWO/' c.txt && cd .. && echo done > new.txt
---
(cd sub; echo x > d.txt); echo y > here.txt
---
cd missing && echo x > new.txt
---
for f in a.py b.py; do sed -i "s/width/w_$f/" "$f"; done
---
for f in *.py; do echo "# $f" >> $f; done
---
if grep -q width a.py; then echo found > new.txt; else echo none > new.txt; fi
---
if grep -q depth a.py; then echo found > new.txt; else echo none > new.txt; fi
---
if true; then echo yes > new.txt; fi; false || echo no >> new.txt
---
! grep -q depth a.py && echo none > new.txt
---
grep -rl width . | xargs sed -i 's/width/size/'
---
grep -lF 'print(' a.py b.py | xargs sed -i 's/height/h/g'
---
echo 'width = 9' | tee b.py
---
echo more | tee -a b.py > copy.txt
---
cat <<< "one line" > new.txt
---
cat < b.py > new.py
---
cat a.py | sed '1d' | sed 's/height/h/' > new.py
---
sed -i '$d' a.py; sed -i '1i # first' a.py; sed -i '2a # second' a.py
---
sed -i.bak 's/width/size/' b.py
---
sed -n '2,3p' sub/c.txt > new.txt
---
sed -i -e 's/one/1/' -e '/two/d' -e 's/three/3/' sub/c.txt
---
sed -i -E 's/(w)(idth)/\\2\\1/; s/[0-9]+/N/' a.py
---
sed -i '/one/,/two/s/o/0/g' sub/c.txt; sed -i '3c last' sub/c.txt; sed -i 'y/abc/xyz/' b.py
---
sed -i 's|width|a/b|; s#height#&_&#' a.py
---
sed -i 's/nothing/x/' missing.txt; echo $? > /dev/null; echo after > new.txt
---
echo lost > sub/no/d.txt || echo kept > new.txt
---
mkdir -p sub; echo x > sub/d.txt; { echo a; echo b; } > new.txt
---
exit 0; echo never > new.txt
---
echo "a  b" 'c $d' e\\ f > new.txt
---
set -e; true && : && echo done > new.txt
"""
PYTHON = """
text = open("a.py").read()
text = text.replace("width", "size", 1)
open("a.py", "w").write(text)
---
from pathlib import Path
path = Path("a.py")
path.write_text(path.read_text().replace("height", "h"))
---
with open("a.py") as f:
    lines = f.readlines()
lines[0] = "width = 10\\n"
with open("a.py", "w") as f:
    f.writelines(lines)
---
import re
s = open("a.py").read()
s, n = re.subn(r"(\\w+) = (\\d)", r"\\1 = \\g<2>0", s)
assert n == 2, "not two"
open("a.py", "w").write(s)
---
import re
s = open("a.py").read()
s = re.sub(r"^print.*$", "pass", s, flags=re.M)
s = re.sub("width", "w", s, count=1)
open("a.py", "w").write(s)
---
s = open("a.py").read()
if "depth" in s:
    s = s.replace("depth", "d")
elif "width" in s and not s.startswith("#"):
    s = "# found\\n" + s
open("a.py", "w").write(s)
---
s = open("a.py").read()
i = s.index("height")
j = s.find("print")
open("a.py", "w").write(s[:i] + "depth = 4\\n" + s[i:j] + s[j:].rstrip() + "\\n")
---
out = []
for i, line in enumerate(open("a.py").read().split("\\n")):
    if line.strip() == "":
        continue
    if i > 2:
        break
    out.append(f"{line}  # {i}")
open("a.py", "w").write("\\n".join(out) + "\\n")
---
pairs = [("width", "w"), ("height", "h")]
s = open("a.py").read()
for old, new in pairs:
    assert s.count(old) >= 1
    s = s.replace(old, new)
open("a.py", "w").write(s)
---
n = 3
s = ""
while n > 0:
    s += "x" * n + "\\n"
    n = n - 1
open("new.txt", "w").write(s)
---
with open("a.py", "a") as f:
    f.write("# end\\n")
    f.write("# more\\n")
---
data = open("b.py", "rb").read()
open("b.py", "wb").write(data.replace(b"width", b"size"))
---
import sys
s = open("b.py").read()
if s.count("width") != 1:
    sys.exit("not once")
open("b.py", "w").write(s if len(s) > 100 else s.upper())
---
s = open("b.py").read()
assert "depth" in s
open("b.py", "w").write("never")
---
s = open("missing.py").read()
open("b.py", "w").write("never")
---
import re
m = re.search(r"height = (\\d)", open("a.py").read())
open("new.txt", "w").write(m.group(1) + "," + str(m.start()) + "," + re.escape("a.b"))
---
s = open("crlf.txt", newline="").read()
open("crlf.txt", "w", newline="").write(s.replace("one", "1"))
---
s = open("crlf.txt").read()
open("crlf.txt", "w").write(s.replace("one", "1"))
---
s = open("a.py").read().splitlines(keepends=True)
open("a.py", "w").write("".join(sorted(s)) + ("" if s else "none"))
---
s = open("a.py").read()
s = s.replace("nothing", "x")
print("done")
open("a.py", "w").write(s)
"""
UNMEASURED = [
    "echo $(date) > new.txt", "date > new.txt", "perl -pi -e 's/a/b/' a.py", "rm -r sub", "cp -r sub other",
    "make && echo x > new.txt", "black . && sed -i s/1/2/ a.py", "case x in x) echo a > b;; esac", "echo a > b &",
    "while true; do echo a > b; done", "echo $HOME > new.txt", "sed -i s/a/b/ /etc/passwd", "cat ../up > new.txt",
    "f() { echo a > b; }; f", "head -1 a.py > new.txt", "ls | xargs sed -i s/a/b/", "tee < <(echo a) b",
    "printf '%d%%' 5 > new.txt",
    "python3 -c 'import os; os.remove(\"a.py\")'", "python3 -c 'open(\"a\", \"w\").write(str(id(1)))'",
    "python3 -c 'x = lambda: 1'", "python3 -c 'open(\"a\", \"w\").write(\"x\" * 10 ** 9)'",
    "python3 -c 'while True: pass'", "python3 -c 'break'", "python3 -c 'with 1 as x: pass'",
    "python3 -c 'a.b = 1'", "python3 -c 'del a'", "python3 -c 'open(\"a.py\").seek(1)'",
    "python3 -c 'import re; open(\"n\", \"w\").write(re.sub(\"(a)\", lambda m: m[1], \"a\"))'",
    "python3 -c 'print(1); sum = unknown(2)'", "python3 -c '[][1]'", "python3 -c 'exit()'",
]  # fmt: skip


def _pieces(text: str) -> list[str]:
    return [one.strip("\n") for one in text.split("\n---\n")]


def _left(folder: Path) -> dict[str, str]:
    paths = [one for one in folder.rglob("*") if one.is_file()]
    return {one.relative_to(folder).as_posix(): one.read_bytes().decode() for one in paths}


@pytest.mark.parametrize("command", [*_pieces(SHELL), *(f"python3 - <<'PY'\n{one}\nPY" for one in _pieces(PYTHON))])
def test_the_files_afterwards_are_those_that_bash_leaves(command: str, tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    program = tmp_path.parent / "bin"
    program.mkdir(exist_ok=True)
    (program / "python3").unlink(missing_ok=True)
    (program / "python3").symlink_to(sys.executable)
    environment = {"PATH": f"{program}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=60)
    assert simulate(FILES, command, place=Place()).files == _left(tmp_path)


@pytest.mark.parametrize("command", UNMEASURED)
def test_what_its_text_does_not_say_is_not_worked_out(command: str) -> None:
    with pytest.raises(Unmeasured):
        simulate(FILES, command, place=Place())
