/**
 * Placing hunks by their lines and hints, wherever these match in a file.
 *
 *     hunk 1  |@@ def f():          file  1 |def f():          places of hunk 1: 2, 4    of hunk 2: 3, 5
 *             |-    a = 1                 2 |    a = 1
 *             |+    a = 2                 3 |    b = 1         order leaves      2, 4               3, 5
 *     hunk 2  |@@                         4 |    a = 1         `@@ def f()`      2, 4 (both are in its block)
 *             |-    b = 1                 5 |    b = 1         no hint is left: refused, with the lines 2 and 4
 *             |+    b = 2
 *
 * A hint never adds a place. It leaves some, and is ignored if it would leave none. A hunk with several places left is
 * refused, and so is one whose hints contradict each other. editcore/patches/placing/place_by_content.py says why.
 */

import { LineIndex } from "../../line_index.js";
import { type FilePatch, type Hunk, PatchError, newOf } from "../../types.js";
import { type Candidates, CandidateSearch, inOrder, nearest } from "./candidates.js";
import { placeBelowCloser } from "./closers.js";
import { placeByNumber } from "./place_by_number.js";
import { type Placed, type Policy, changes, nAddedAbove, nContext } from "./policy.js";
import { MAX_PLACES } from "./refusals.js";
import { reindented, showsIndentation } from "./reindenting.js";

/** Places the hunks of an update so that no two overlap. */
export function place(lines: readonly string[], hasLastNewline: boolean, section: FilePatch, policy: Policy): Placed[] {
  const { isDiff, placing } = policy;
  if (placing === null) return placeByNumber(lines, hasLastNewline, section);
  const search = new CandidateSearch(new LineIndex(lines), section, placing);
  const hunks: Candidates[] = [];
  for (const hunk of section.hunks) {
    if (isDiff && !changes(hunk)) search.checkMatches(hunk);
    else hunks.push(search.of(hunk));
  }
  if (hunks.some((found) => found.places.length > 1)) narrow(search, hunks, isDiff);
  const placed: Placed[] = [];
  const taken = new TakenLines();
  for (const candidates of hunks) {
    const last = placed.at(-1) ?? null;
    let found = placedAt(search, candidates, last, taken.end, !isDiff);
    if (found.hunk.sourceNoNewline && (hasLastNewline || found.line + found.nOld < lines.length)) found = unmarked(found, section);
    if (last !== null && placing.mending.includes("overlaps")) found = apart(found, last);
    placed.push(found);
    taken.take(found, placed.length);
    if (isDiff && last !== null) checkOrder([last, found], hunks.slice(placed.length - 2, placed.length));
  }
  if (!isDiff) checkIndentation(search, placed);
  return placed;
}

/** Narrows the places of every hunk by the order of all hunks and by its own anchors. */
function narrow(search: CandidateSearch, hunks: readonly Candidates[], mustBeOrdered: boolean): void {
  const byAnchor = hunks.map((found) => (found.places.length > 1 ? search.byAnchors(found) : []));
  const isOrdered = narrowByOrder(search, hunks, mustBeOrdered);
  hunks.forEach((found, n) => {
    const lines = byAnchor[n]!;
    const places = new Set(found.places);
    const left = lines.filter((line) => places.has(line));
    if (lines.length > 0 && left.length === 0) throw search.refusals(found.hunk).contradictory(lines[0]!, found.places[0]!);
    found.narrow(left);
  });
  if (isOrdered && byAnchor.some((lines) => lines.length > 0)) narrowByOrder(search, hunks, mustBeOrdered);
}

/** Narrows the places of every hunk by the order of all hunks; false if no order fits. */
function narrowByOrder(search: CandidateSearch, hunks: readonly Candidates[], mustBeOrdered: boolean): boolean {
  if (!search.placing.hints.includes("order") || hunks.some((found) => found.places.length > MAX_PLACES)) return false;
  const left = inOrder(hunks.map((found) => found.places), hunks.map((found) => found.old.length));
  if (left === null) return false;
  hunks.forEach((found, n) => {
    const [places, stated] = [left[n]!, (found.hunk.sourceStart ?? 0) - 1];
    if (mustBeOrdered && places.length > 0 && !places.includes(stated) && found.places.includes(stated)) {
      throw search.refusals(found.hunk).contradictory(stated, places[0]!);
    }
    found.narrow(places);
  });
  return true;
}

/**
 * The hunk at its one place, by the first hint that leaves only one. Throws if none does. `last`: the placed previous
 * hunk. `cursor`: one past the last line that earlier hunks took.
 */
function placedAt(search: CandidateSearch, found: Candidates, last: Placed | null, cursor: number, byContext: boolean): Placed {
  const { seeker, placing: { hints } } = search;
  const { hunk, old } = found;
  const start = hunk.sourceStart;
  if (found.places.length > 1) {
    if (hints.includes("order") && cursor > 0) found.narrow(found.places.filter((line) => line >= cursor));
    if (hints.includes("numbers") && start) {
      const near = nearest(found.places, start - 1 + (last?.hunk.sourceStart ? last.line + 1 - last.hunk.sourceStart : 0));
      if (near !== null) found.narrow([near]);
    }
    if (hints.includes("closers") && last !== null && found.places.length > 1 && found.places[0]! >= cursor) {
      const below = placeBelowCloser(hunk, found.places, seeker.lines, cursor);
      if (below !== null) found.narrow([below]);
    }
    // A hunk without old lines is shown at its anchors.
    if (found.places.length > 1) throw search.refusals(hunk).ambiguous(found.places.map((line) => line - (old.length > 0 ? 0 : 1)));
  }
  const line = found.places[0]!;
  const isOtherwise = found.equality === "exact" && !seeker.matchesAt(old, "exact", line);
  const equality = isOtherwise ? "line_endings" : found.equality;
  const made = madeBefore(seeker, hunk, equality, line, old.length);
  if (made !== undefined) throw search.refusals(hunk).appliedAlready(made);
  if (hints.includes("numbers") && line + 1 === start && lacksAdded(hunk, old.length)) throw search.refusals(hunk).cutOff();
  const placed: Placed = { hunk, line, nOld: old.length, equality };
  if (equality !== "trimmed" && equality !== "folded") return placed;
  const result = reindented(placed, old, seeker.lines, byContext);
  if (result === null) throw search.refusals(hunk).indentedUnevenly(line);
  return result;
}

/** The 0-based line at which the new lines of a hunk are already, around its place. */
function madeBefore(
  seeker: LineIndex, hunk: Hunk, equality: Placed["equality"], line: number, nOld: number,
): number | undefined {
  const now = newOf(hunk);
  if (now.length <= nOld) return undefined;
  // Lines without context went below their anchor, or to the end of the file.
  const starts = equality === "anchor" ? [line, line - now.length] : [line - nAddedAbove(hunk)];
  const compared = equality === "anchor" ? "line_endings" : equality;
  return starts.find((start) => seeker.matchesAt(now, compared, start));
}

/** Whether a hunk ends in an added line, and has fewer of them than its counts say. */
function lacksAdded(hunk: Hunk, nOld: number): boolean {
  const { sourceLength, targetLength } = hunk;
  if (nOld === 0 || hunk.lines.at(-1)![0] !== "+" || sourceLength === null || targetLength === null) return false;
  return targetLength - newOf(hunk).length > Math.max(sourceLength - nOld, 0);
}

/**
 * Throws if some hunks are indented as the file is, and the context of another one is not. If all are off, the whole
 * patch was indented otherwise. If one is, its writer may have meant it.
 */
function checkIndentation(search: CandidateSearch, placed: readonly Placed[]): void {
  const first = placed.find((found) => found.shifted);
  if (first && placed.some((found) => showsIndentation(found, search.seeker.lines))) {
    throw search.refusals(first.hunk).indentedAlone(first.line);
  }
}

/** The hunk without its wrong marker of a missing final line feed. Throws if the marker matters. */
function unmarked(found: Placed, section: FilePatch): Placed {
  if (!found.hunk.targetNoNewline || found.hunk.lines.at(-1)![0] !== " ") {
    throw new PatchError(`the hunk says that ${section.path} has no line feed at its end, but it has: leave that out.`, found.hunk.patchLine, "no_match");
  }
  // Below context, both sides end as the file does.
  return { ...found, hunk: { ...found.hunk, sourceNoNewline: false, targetNoNewline: false } };
}

/** The hunk without the first lines of context that are the last ones of the previous hunk. */
function apart(found: Placed, last: Placed): Placed {
  const shared = last.line + last.nOld - found.line;
  const most = Math.min(nContext(found.hunk.lines), nContext(last.hunk.lines.toReversed()));
  if (found.line < last.line || shared <= 0 || shared > most) return found;
  const hunk = { ...found.hunk, lines: found.hunk.lines.slice(shared) };
  return { ...found, hunk, line: found.line + shared, nOld: found.nOld - shared };
}

/** The lines of a file on which hunks were placed, looked up in constant time. */
class TakenLines {
  /** One past the last line taken. */
  end = 0;
  /** Line -> number of the hunk placed on it. */
  private readonly lines = new Map<number, number>();
  /** Line -> number of a hunk that only adds lines, above this one. */
  private readonly gaps = new Map<number, number>();

  /** Reserves the lines of a hunk. Throws if another hunk has one of them. */
  take({ hunk, line, nOld }: Placed, number: number): void {
    const others: number[] = [];
    for (let at = line; at < line + nOld; at++) {
      for (const other of [this.lines.get(at), at > line ? this.gaps.get(at) : undefined]) if (other !== undefined) others.push(other);
      this.lines.set(at, number);
    }
    if (nOld === 0) {
      const above = this.lines.get(line - 1);
      if (above !== undefined && above === this.lines.get(line)) others.push(above);
      if (!this.gaps.has(line)) this.gaps.set(line, number);
    }
    if (others.length > 0) {
      const first = others.reduce((one, other) => Math.min(one, other));
      throw new PatchError(`the hunk overlaps hunk ${first}, which changes the same lines: join the two.`, hunk.patchLine, "ambiguous");
    }
    this.end = Math.max(this.end, line + nOld);
  }
}

/** Throws if a hunk is above the previous one, unless the lines of both leave one place each. */
function checkOrder(placed: readonly [above: Placed, found: Placed], hunks: readonly Candidates[]): void {
  const [above, found] = placed;
  if (found.line >= above.line || placed.every((there, n) => hunks[n]!.isOnly && !there.shifted)) return;
  throw new PatchError(`the hunk stands at line ${found.line + 1}, above the one before it: put the hunks in the file's order.`, found.hunk.patchLine);
}
