// In which lines do two texts differ?

const MOST_COMPARED = 4_000_000;

/** Lines without their line feeds. A final line feed ends the last line. */
function linesOf(text) {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/**
 * @param {string[]} before @param {string[]} after
 * @returns {{kind: "same" | "removed" | "added", text: string, old: number, new: number}[]} old and new: 0-based lines
 */
function lineDiff(before, after) {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const rows = [];
  for (let at = 0; at < head; at += 1) rows.push({ kind: "same", text: before[at], old: at, new: at });
  middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head, rows);
  for (let at = tail; at > 0; at -= 1) {
    rows.push({ kind: "same", text: before[before.length - at], old: before.length - at, new: after.length - at });
  }
  return rows;
}

/** The longest common subsequence by a table; too large ones are removed and added whole. */
function middle(before, after, shift, rows) {
  const n = before.length;
  const m = after.length;
  let i = 0;
  let j = 0;
  if (n && m && n * m <= MOST_COMPARED) {
    const best = new Uint16Array((n + 1) * (m + 1));
    for (let a = n - 1; a >= 0; a -= 1) {
      for (let b = m - 1; b >= 0; b -= 1) {
        best[a * (m + 1) + b] = before[a] === after[b]
          ? best[(a + 1) * (m + 1) + b + 1] + 1
          : Math.max(best[(a + 1) * (m + 1) + b], best[a * (m + 1) + b + 1]);
      }
    }
    while (i < n && j < m) {
      if (before[i] === after[j]) {
        rows.push({ kind: "same", text: before[i], old: shift + i, new: shift + j });
        i += 1;
        j += 1;
      } else if (best[(i + 1) * (m + 1) + j] >= best[i * (m + 1) + j + 1]) {
        rows.push({ kind: "removed", text: before[i], old: shift + i, new: -1 });
        i += 1;
      } else {
        rows.push({ kind: "added", text: after[j], old: -1, new: shift + j });
        j += 1;
      }
    }
  }
  for (; i < n; i += 1) rows.push({ kind: "removed", text: before[i], old: shift + i, new: -1 });
  for (; j < m; j += 1) rows.push({ kind: "added", text: after[j], old: -1, new: shift + j });
}

/** The range in which a line differs from its counterpart; empty if they have little in common. */
function differingPart(line, other) {
  const shorter = Math.min(line.length, other.length);
  let start = 0;
  while (start < shorter && line[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && line[line.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return 3 * (start + tail) < Math.min(shorter, 400) ? [0, 0] : [start, line.length - tail];
}
