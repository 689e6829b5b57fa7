/**
 * The rule `stale/recommended`: the edit is made where the seen lines are now; lines that were changed are examined.
 *
 *     seen  |a = 1     edit  a = 1 -> a = 2     live  |a = 1      <- a copy, added by somebody else
 *           |go()                                     |stop()
 *                                                     |a = 1      <- the line that was meant
 *                                                     |go()
 *
 * The text that was seen decides where the edit belongs. It is tried in two sizes: the lines of each search text, and each
 * change alone. Only lines are overwritten that the model has seen as they are, or that a careful cascade forgives, and
 * only at a place that is certain. editcore/stale/recommended.py says why.
 */

import { lineFeeds } from "../file.js";
import { bisect } from "../line_index.js";
import { isSame, withoutBlankEnd, withoutMark } from "../lines.js";
import { trim } from "../text.js";
import { type Applied, type Refused, refused as refusedFor } from "../types.js";
import { Alignment, type Change } from "./alignment.js";
import { Edited, type Mine, type Part } from "./edited.js";
import { everywhere } from "./everywhere.js";
import { inIndentation, inReformatted, reindent } from "./formatted.js";
import { type Decide, hasChanged, merged, notToldApart, ofAnotherText, putAt, refused } from "./rule.js";

/** Parts that are merged one by one if one has reformatted lines; each costs a reading of the text. */
const MOST_MERGED = 200;

/** The edit where its lines are now; a refusal where they were changed in what the edit is about. */
export function recommended(given: string, live: string, decide: Decide): ReturnType<Decide> {
  if (lineFeeds(withoutMark(given)) === lineFeeds(withoutMark(live))) return decide(live);
  const result = decide(given);
  if (result.status === "rejected") return ofAnotherText(result, decide(live));
  if (result.content === null) return decide(live);
  let [seen, mine]: readonly [string, Mine] = [given, result];
  const how = reindent(seen, live);
  if (how !== null) {
    const asNow = inIndentation(seen, mine, how);
    if (asNow === null) return hasChanged();
    [seen, mine] = asNow;
  }
  const alignment = new Alignment(seen, live);
  const edited = new Edited(seen, mine, alignment.old);
  const placed = placedAsRead(live, alignment, edited, mine, decide);
  return mine.isEverywhere ? everywhere(live, alignment, edited, mine, placed, decide(live)) : placed;
}

/** The edit at the places as read. */
function placedAsRead(live: string, alignment: Alignment, edited: Edited, mine: Mine, decide: Decide): Applied | Refused {
  const [quoted, near] = [edited.parts(), edited.parts(1)];
  if (quoted.some((one) => isAdded(alignment, one)) || near.every((one) => isMade(alignment, one))) {
    return refusedFor("identical", "the file has this change already: nothing is left to do.");
  }
  const written = writtenAt(live, alignment, quoted.map((one) => [one, unchangedAt(alignment, one)]), mine);
  if (written !== null) return written;
  if (quoted.some((one) => isDoubtful(alignment, one))) return notToldApart(alignment, quoted);
  const now = decide(live);
  if (now.status === "rejected" && now.reason === "identical") return now;
  const changes = edited.changes.map(([first, last, lines]): Part => ({ first, last, now: lines }));
  const each = writtenAt(live, alignment, changes.map((one) => [one, changedAt(alignment, quoted, one)]), mine);
  if (each === null) return refused(alignment, near);
  // seen  |a()     live  |a()     The changed lines say that `c()` moved below a new `b()`: the first `b()` is the
  //       |b()           |b()     old one. The search text `b(), c()` finds the second: then the old one moved.
  //       |c()           |b()
  //       |b()           |c()
  const isElsewhere = now.status === "applied" && now.content !== null && now.content !== each.content;
  return isElsewhere ? notToldApart(alignment, quoted) : each;
}

/**
 * The current text with each part made at its place, or merged into its reformatted lines; else null. A part that somebody
 * else has made is left out.
 */
function writtenAt(live: string, alignment: Alignment, parts: readonly (readonly [Part, number | null])[], mine: Mine): Applied | null {
  const left = parts.filter(([one]) => !isMade(alignment, one));
  if (left.length === 0 || left.filter(([, at]) => at === null).length > MOST_MERGED) return null;
  const done: Change[] = [];
  for (const [part, at] of left) {
    const change = at === null ? inReformatted(alignment, part) : putAt(part, at);
    if (change === null) return null;
    done.push(change);
  }
  done.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  if (done.some((one, n) => n > 0 && done[n - 1]![1] > one[0])) return null;
  return merged(live, alignment, done, mine);
}

/** The certain line of `now` where a change of `old` belongs, whatever became of the lines beside it. */
const changedAt = (alignment: Alignment, quoted: readonly Part[], change: Part): number | null =>
  change.first < change.last ? unchangedAt(alignment, change) : addedAt(alignment, quoted, change.first);

/**
 * The line of `now` above which lines belong that the edit adds above line `border` of `old`.
 *
 * The nearest unchanged lines must be certain. Of the quoted lines either all are unchanged, or the first and the last
 * one, or a line at the border while others were changed line by line.
 */
function addedAt(alignment: Alignment, parts: readonly Part[], border: number): number | null {
  const [[start, end], [first, last]] = [alignment.around(border, border), alignment.between(border, border)];
  const [above, below] = alignment.withTelling(start, end);
  for (const [one, other] of [[above, start], [end, below]] as const) {
    if (one < other && alignment.placeOf(one, other).at !== alignment.there[one]) return null;
  }
  const quoted = parts[bisect(parts.map((part) => part.last), border)];
  if (quoted === undefined || quoted.first > border || quoted.first === quoted.last) return null;
  const lines = Array.from({ length: quoted.last - quoted.first }, (_, k) => quoted.first + k);
  const solid = lines.filter((n) => trim(alignment.old[n]!) !== "");
  const tells = solid.length > 0 ? solid : lines;
  const stays = (n: number): boolean => alignment.there[n] != null;
  if (stays(tells[0]!) && stays(tells.at(-1)!)) return end - start === last - first ? first + border - start : last;
  const isOneByOne = end - start === last - first && tells.some((n) => (n === border - 1 || n === border) && stays(n));
  return isOneByOne ? first + border - start : null;
}

/** The certain place of the part, if its lines are there as they were. */
function unchangedAt(alignment: Alignment, part: Part): number | null {
  const { at } = alignment.placeOf(part.first, part.last);
  if (at === null) return null;
  return isSame(alignment.now.slice(at, at + part.last - part.first), alignment.old.slice(part.first, part.last)) ? at : null;
}

/** Whether the part's lines say something and are in several places, none of them certain. */
function isDoubtful(alignment: Alignment, part: Part): boolean {
  if (alignment.old.slice(part.first, part.last).every((line) => trim(line) === "") || isMade(alignment, part)) return false;
  const found = alignment.placeOf(part.first, part.last);
  return found.at === null && found.nPlaces > 1;
}

/** Whether the current text has the edit's new lines between the neighbours of its old ones. */
function isMade(alignment: Alignment, part: Part): boolean {
  const [first, last] = alignment.between(part.first, part.last);
  return isSame(alignment.now.slice(first, last), part.now) && !isSame(part.now, alignment.old.slice(part.first, part.last));
}

/** Whether somebody has already added the lines that the edit adds above or below lines that it keeps. */
function isAdded(alignment: Alignment, part: Part): boolean {
  const [by, now] = [alignment.movedBy(part.first, part.last), part.now];
  const kept = alignment.old.slice(part.first, part.last);
  if (by === null || now.length <= kept.length) return false;
  for (let above = 0; above <= now.length - kept.length; above++) {
    const start = part.first + by - above;
    const cut = Math.max(-start, 0); // Blank lines at an end of the text are no difference.
    if (!kept.every((line, n) => line === now[above + n]) || now.slice(0, cut).some((line) => trim(line) !== "")) continue;
    const [given, there] = [now.slice(cut), alignment.now.slice(start + cut, start + now.length)];
    const isAtEnd = start + now.length > alignment.now.length;
    const wanted = !isSame(there, given) && isAtEnd ? withoutBlankEnd(given) : given;
    if (isSame(there, wanted) && wanted.length > kept.length) return true;
  }
  return false;
}
