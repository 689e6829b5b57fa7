/**
 * Edits of every place of a text, as `replaceAll` makes them, in a text that others have changed.
 *
 *     seen  |a = old()     live  |a = old()     edit  old -> new, everywhere     written  |a = new()
 *           |b = old()           |b=old()                                                 |b=new()
 *                                |c = old()     <- added by somebody else                 |c = new()
 *
 * Every place of the current text is edited, and every place as read that others have only re-spaced. A place that others
 * deleted is gone. A place that others changed in words refuses the edit: what they wrote may still need it.
 */

import { isSame, lineSpans } from "../lines.js";
import type { Applied, Refused } from "../types.js";
import { type Alignment, type Change, changesOf, linesOf } from "./alignment.js";
import type { Edited, Mine, Part } from "./edited.js";
import { inReformatted } from "./formatted.js";
import { type Decide, merged, notToldApart, refused } from "./rule.js";

/** The edit at every place. `placed` is its result at the places as read, `now` its result on the current text. */
export function everywhere(
  live: string, alignment: Alignment, edited: Edited, mine: Mine, placed: Applied | Refused, now: ReturnType<Decide>,
): Applied | Refused {
  if (now.status === "rejected" || now.content === null) return placed;
  const rows = lineSpans(live, now.spans).map(([first]) => first);
  const ours = byLines(alignment.now, [0, alignment.now.length, linesOf(now.content)]);
  // A line that the edit of the current text changes is right as it is there.
  const done = new Set<number>();
  for (const [first, last] of ours) for (let n = first; n < Math.max(last, first + 1); n++) done.add(n);
  const isMade = placed.status === "rejected" && placed.reason === "identical";
  for (const part of isMade ? [] : rowsOf(edited.parts(0))) {
    if (isThere(alignment, part, edited, rows)) continue;
    const change = mine.spans.length > 0 ? inReformatted(alignment, part) : null;
    if (change === null) return refused(alignment, [part]);
    for (const one of byLines(alignment.now, change)) {
      let isFree = true;
      for (let n = one[0]; n <= one[1]; n++) isFree &&= !done.has(n);
      if (isFree) ours.push(one);
    }
  }
  ours.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  if (ours.some((one, n) => n > 0 && ours[n - 1]![1] > one[0])) return notToldApart(alignment, edited.parts());
  return merged(live, alignment, ours, mine);
}

/** The parts. A part whose lines are replaced one by one is a part for each line: others may have made some. */
const rowsOf = (parts: readonly Part[]): Part[] =>
  parts.flatMap((one) =>
    one.now.length === one.last - one.first ? one.now.map((line, k) => ({ first: one.first + k, last: one.first + k + 1, now: [line] })) : [one],
  );

/** Whether the current text has the part's places still, or their new text, or nothing where they were. */
function isThere(alignment: Alignment, part: Part, edited: Edited, rows: readonly number[]): boolean {
  const [first, last] = alignment.between(part.first, part.last);
  const there = alignment.now.slice(first, last);
  if (alignment.movedBy(part.first, part.last) !== null || there.length === 0 || isSame(there, part.now)) return true;
  const [above, below] = alignment.around(part.first, part.last);
  const nNow = rows.filter((row) => first <= row && row < last).length;
  return nNow >= edited.spans.filter(([row]) => above <= row && row < below).length;
}

/** The change as small changes: of one line each, where as many lines replace them. */
function byLines(lines: readonly string[], [first, last, now]: Change): Change[] {
  return changesOf(lines.slice(first, last), now).flatMap(([start, stop, put]): Change[] => {
    const at = first + start;
    return put.length === stop - start ? put.map((line, n): Change => [at + n, at + n + 1, [line]]) : [[at, first + stop, put]];
  });
}
