/** Places of whole lines by a key, and the edit merged into the only one (6.1, 7.1, 7.2). */

import { standsInLines } from "./made_before.js";
import { merged, partners } from "./merge.js";
import { type Place, lineByLine, lineOf, spanOf, there } from "./place.js";
import { type Refused, type Result, refused } from "./types.js";
import type { Query } from "./query.js";
import { type Key, hasAlnum, keyOf, nCodePoints, trim } from "./text.js";

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;

/** Where solid lines in a row have these keys, ascending, at most `most` of them; in linear time (Knuth, Morris, Pratt). */
export function windows<T>(keys: readonly T[], wanted: readonly T[], most = 2): number[] {
  const found: number[] = [];
  if (wanted.length === 0) return found;
  const shorter = [0]; // For each beginning of the row, the longest other that it ends with.
  let n = 0;
  const next = (one: T): void => {
    while (n > 0 && wanted[n] !== one) n = shorter[n - 1]!;
    if (wanted[n] === one) n++;
  };
  for (const one of wanted.slice(1)) {
    next(one);
    shorter.push(n);
  }
  n = 0;
  for (let at = 0; at < keys.length && found.length < most; at++) {
    next(keys[at]!);
    if (n < wanted.length) continue;
    found.push(at + 1 - n);
    n = shorter[n - 1]!;
  }
  return found;
}

export function several(query: Query, starts: readonly number[]): Refused {
  const lines = starts.map((at) => lineOf(query.file, at)).join(", ");
  return refused("ambiguous", `old_string has multiple matches (lines ${lines}): add surrounding lines that make it unique.`);
}

export const alreadyThere = (query: Query, at: number): Refused =>
  refused("identical", `new_string is at line ${lineOf(query.file, at)} already: the edit was made before.`);

function isOutOfProportion(candidate: string, find: string): boolean {
  const n = find.split("\n").length;
  if (candidate.split("\n").length >= Math.max(n + 3, 2 * n)) return true;
  if (n === 1) return false;
  const length = nCodePoints(trim(find));
  return nCodePoints(trim(candidate)) > Math.max(length + 500, 4 * length);
}

/** The edit at the only place whose solid lines have the keys of the search text's; null if there is none. */
export function inWholeLines(query: Query, key: Key, tier: string): Result | null {
  if (query.all || (key !== "RIGHT_TRIMMED" && !hasAlnum(query.old.text))) return null;
  const wanted = query.old.keys(key);
  const found = windows(query.file.keys(key), wanted);
  if (found.length === 0) return null;
  if (found.length > 1) return several(query, found.map((at) => query.file.start(query.file.at[at]!)));
  const place = lineByLine(found[0]!, wanted.length);
  if (isOutOfProportion(query.file.text.slice(...spanOf(query.file, place)), query.old.text)) return null;
  return mergeAt(query, place, key, tier);
}

/** The edit merged into a place, unless it was made there before or is not certain. */
export function mergeAt(query: Query, place: Place, key: Key, tier: string, isLoose = false): Result {
  const { file, old, put } = query;
  const [start, end] = spanOf(file, place);
  const line = lineOf(file, start);
  if (standsInLines(file.text, start, end, old, put, "SQUEEZED")) return alreadyThere(query, start);
  if (isLoose && repeatsNeighbours(query, place, key)) {
    return refused("no_match", `The lines that new_string adds are beside line ${line} already: copy old_string again from the file.`);
  }
  const found = merged(file, place, old, put, key, query.path === "" || MARKDOWN.test(query.path));
  if (found === "indentation") {
    return refused("no_match", `Line ${line} fits but for its indentation, and it is not certain how new_string is to be indented: copy the lines with the indentation of the file.`);
  }
  if (found === "within_line") {
    return refused("no_match", `The lines at ${line} fit but for whitespace or characters that look alike, and new_string changes a line just there: copy the lines exactly from the file.`);
  }
  const after = found.lines.map((one) => (typeof one === "number" ? file.all[one]! : one));
  const before = file.all.slice(found.first, found.last);
  if (after.length === before.length && after.every((one, n) => one === before[n])) {
    return refused("identical", `Line ${line} already reads as new_string has it: nothing would change.`);
  }
  const span = [file.offset(file.start(found.first)), file.offset(file.start(found.last) - 1)] as const;
  return { status: "applied", content: file.withLines(found.first, found.last, found.lines), tier, spans: [span] };
}

function repeatsNeighbours(query: Query, place: Place, key: Key): boolean {
  const [old, put] = [query.old.keys(key), query.put.keys(key)];
  const partner = partners(old, put);
  const [first, last] = there(place);
  const isEqual = (from: number, keys: readonly string[]): boolean =>
    from >= 0 && from + keys.length <= query.file.solid.length &&
    keys.every((one, k) => keyOf(query.file.solid[from + k]!, key) === one);
  const above = partner.includes(0) ? partner.findIndex((one) => one !== null) : 0;
  const below = partner.includes(old.length - 1) ? partner.length - 1 - partner.findLastIndex((one) => one !== null) : 0;
  return (above > 0 && isEqual(first - above, put.slice(0, above))) || (below > 0 && isEqual(last, put.slice(-below)));
}
