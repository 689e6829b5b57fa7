/**
 * What a refusal says of the nearest place: the line that a search text resembles, and the first line that differs.
 *
 *     old_string was not found; at the nearest place, line 12 has "size = 6" where old_string has "size = 5"
 *
 * A refusal is made only after all tiers have failed, in a bounded share of their time.
 */

import type { Query } from "./query.js";
import { LONGEST, editRatio, nearestPart, ratio } from "./sequences.js";
import { folded, head, trim } from "./text.js";
import { type Refused, refused } from "./types.js";
import { type Likeness, likelyPlaces, reach } from "./votes.js";

const LONGEST_COMPARED = 400;
const LEAST_SIMILARITY = 0.6;
const MOST_SOUGHT = 4;
const MOST_COMPARED = 400;
const SHORTEST_PART = 8;
const LEAST_PART = 0.8;
const MOST_PART_CHARACTERS = 100_000;
const MOST_PLACES = 8;
const MOST_NEIGHBOURS = 40;
const LONGEST_SHOWN = 80;
const SHOWN_AHEAD = 20;
const LEAST_SCORE = 0.5;

/** A line of the file, and the line of the search text that it resembles; both 0-based. */
interface Nearest {
  readonly index: number;
  readonly wanted: number;
  readonly similarity: number;
  /** The part of the file's line that is meant, if the line is much longer. */
  readonly part?: string;
}
/** The first line in which the nearest place differs; `line` is 1-based. */
interface Contradiction {
  readonly line: number;
  readonly text: string;
  readonly wanted: string;
}

const COPY = "read the file there and copy the text exactly.";
const quoted = (text: string): string => JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 3)}...` : text);
const percent = (similarity: number): string => `${Math.round(100 * similarity)}%`;
const compared = (line: string): string => head(line, LONGEST_COMPARED);

/** The refusal of a search text that no tier finds, with the contradicting line at the nearest place. */
export function notFound(query: Query): Refused {
  const best = likelyPlaces(query)[0];
  const found = best === undefined || best.score < LEAST_SCORE ? null : contradiction(query, best);
  if (found === null) return noMatch(query.file.text.split("\n"), query.old.text.split("\n"));
  return refused("no_match", `old_string was not found; at the nearest place, line ${found.line} ${differs(found)}${alike(query, best!)}: ${COPY}`);
}

/** The first line in which a place differs from the search text. */
function contradiction({ file, old }: Query, best: Likeness): Contradiction | null {
  let [n, at] = [0, best.pairs[0]![1] - best.pairs[0]![0]];
  const end = Math.min(reach(best)[1] + old.solid.length - 1 - best.pairs.at(-1)![0], file.solid.length);
  for (const [ours, theirs] of [...best.pairs, [old.solid.length, end] as const]) {
    if (n < ours || (theirs > at && ours < old.solid.length)) {
      const line = file.at[Math.min(Math.max(at, 0), file.at.length - 1)]! + 1;
      return { line, text: at < theirs ? (file.solid[at] ?? "") : "", wanted: n < ours ? old.solid[n]! : "" };
    }
    [n, at] = [ours + 1, theirs + 1];
  }
  return null;
}

/** A phrase about the first line that differs in look-alike characters only. */
function alike({ file, old }: Query, best: Likeness): string {
  const pair = best.pairs.find(([ours, theirs]) => trim(old.solid[ours]!) !== trim(file.solid[theirs]!));
  return pair ? `, and line ${file.at[pair[1]]! + 1} has other characters, which look alike` : "";
}

/** The refusal of a text for which a file has at most similar lines. */
function noMatch(lines: readonly string[], find: readonly string[]): Refused {
  const near = nearest(lines, find);
  const what = "old_string was not found";
  if (near === null) return refused("no_match", `${what}, nor any line like it: read the file again and copy the text exactly.`);
  const line = near.index + 1;
  if (near.part !== undefined) {
    const how = differs({ line, text: near.part, wanted: find[near.wanted]! });
    return refused("no_match", `${what}; a part of line ${line} is ${percent(near.similarity)} like one of its lines: it ${how}: ${COPY}`);
  }
  const likeness = near.similarity === 1 ? "holds one of its lines" : `is ${percent(near.similarity)} like one of its lines`;
  const found = firstDifference(lines, find, near);
  const shown = ` (${quoted(trim(lines[near.index]!))})`;
  let where = shown;
  if (found !== null && found.line !== line) where = `${shown}, but line ${found.line} ${differs(found)}`;
  else if (found !== null) where = `${found.text === "" ? `${shown}, but above it the file` : ": it"} ${differs(found)}`;
  return refused("no_match", `${what}; line ${line} ${likeness}${where}: ${COPY}`);
}

/** The line nearest to one of the search text's longest lines: an equal line, or else the most similar one, or null. */
function nearest(lines: readonly string[], find: readonly string[]): Nearest | null {
  const [there, wanted] = [lines.map(trim), find.map(trim)];
  const first = new Map<string, number>();
  wanted.forEach((line, n) => line !== "" && !first.has(line) && first.set(line, n));
  const sought = [...first].sort(([one], [other]) => other.length - one.length).slice(0, MOST_SOUGHT);
  for (const [line, n] of sought) {
    const places = occurrences(there, line);
    const scores = places.map((index) => likeness(there, wanted, index - n));
    const best = scores.indexOf(Math.max(...scores));
    if (best >= 0) return { index: places[best]!, wanted: n, similarity: 1 };
  }
  let near: Nearest | null = null;
  for (const [line, n] of sought.slice(0, 1 + Math.floor(MOST_COMPARED / lines.length))) {
    near ??= similarLine(there, line, n);
  }
  const longest = sought[0];
  if (longest === undefined || (near !== null && near.similarity >= LEAST_PART)) return near;
  return similarPart(there, ...longest) ?? near;
}

function occurrences(lines: readonly string[], line: string): number[] {
  const found: number[] = [];
  for (let n = lines.indexOf(line); n >= 0 && found.length < MOST_PLACES; n = lines.indexOf(line, n + 1)) found.push(n);
  return found;
}

/** The similarity of the first lines of a search text to the lines from `start` on, added up. */
function likeness(there: readonly string[], wanted: readonly string[], start: number): number {
  let sum = 0;
  for (let n = Math.max(-start, 0); n < Math.min(wanted.length, MOST_NEIGHBOURS); n++) {
    const [one, other] = [wanted[n]!, there[start + n] ?? ""];
    if (one !== "" && other !== "") sum += editRatio(compared(one), compared(other), LEAST_SIMILARITY);
  }
  return sum;
}

/** The line most like a trimmed one. Characters that look alike are equal. */
function similarLine(there: readonly string[], line: string, wanted: number): Nearest | null {
  const mine = folded(compared(line));
  let [index, best] = [-1, 0];
  there.forEach((other, n) => {
    const similarity = editRatio(mine, folded(compared(other)), Math.max(best, LEAST_SIMILARITY));
    if (similarity > best) [index, best] = [n, similarity];
  });
  // Less than 1, since such a line is equal in its first characters only, or looks equal.
  return index < 0 ? null : { index, wanted, similarity: Math.min(best, 0.99) };
}

/** The part of a longer line that is most like a line of the search text. */
function similarPart(there: readonly string[], line: string, wanted: number): Nearest | null {
  const size = line.length;
  if (size < SHORTEST_PART || size > LONGEST_COMPARED) return null;
  let found: Nearest | null = null;
  let left = Math.floor(MOST_PART_CHARACTERS / (2 * size));
  for (const [index, other] of there.entries()) {
    // Each window holds any part of this size that begins in its first half.
    for (let at = 0; other.length > size && at < other.length - Math.floor(size / 2) && left > 0; at += size, left--) {
      const part = nearestPart(line, other.slice(at, at + 2 * size));
      const similarity = Math.min(editRatio(line, part, LEAST_PART), 0.99);
      if (similarity > (found?.similarity ?? 0)) found = { index, wanted, similarity, part };
    }
  }
  return found;
}

/** The first line in which the place around the nearest line differs; whitespace at its ends only if nothing else does. */
function firstDifference(lines: readonly string[], find: readonly string[], near: Nearest): Contradiction | null {
  const start = near.index - near.wanted;
  const mine = find.length > 1 && find.at(-1) === "" ? find.slice(0, -1) : find;
  const isInner = (n: number): boolean => n > 0 && n < mine.length - 1;
  const tests = [
    (n: number) => lines[start + n] === undefined || trim(mine[n]!) !== trim(lines[start + n]!),
    (n: number) => isInner(n) && mine[n] !== lines[start + n], // The first and the last line may be parts of lines.
    (n: number) => mine[n] !== lines[start + n],
  ];
  const n = tests.map((test) => mine.findIndex((_, k) => test(k))).find((one) => one >= 0);
  return n === undefined ? null : { line: Math.max(start + n, 0) + 1, text: lines[start + n] ?? "", wanted: mine[n]! };
}

/** `has "a" where old_string has "b"`; of long lines, from a little before the first character that differs. */
function differs(found: Contradiction): string {
  let [there, wanted] = [trim(found.text), trim(found.wanted)];
  if (there === wanted) [there, wanted] = [found.text, found.wanted];
  let nEqual = 0;
  while (nEqual < there.length && there[nEqual] === wanted[nEqual]) nEqual++;
  if (nEqual > SHOWN_AHEAD && Math.max(there.length, wanted.length) > LONGEST_SHOWN) {
    [there, wanted] = [there, wanted].map((text) => `...${text.slice(nEqual - SHOWN_AHEAD)}`) as [string, string];
  }
  const shown = (text: string): string => {
    const one = text === "" ? "nothing" : quoted(text);
    // Only their escape sequences show how texts differ that look alike.
    return folded(there) === folded(wanted) ? one.replace(/[^\x00-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`) : one;
  };
  return `has ${shown(there)} where old_string has ${shown(wanted)}`;
}

/** A question for the refusal of a hunk: were the lines most like its old lines meant? Below its `@@` lines, if they are there. */
export function didYouMean(lines: readonly string[], old: readonly string[], anchors: readonly string[]): string {
  let top = 0;
  for (const anchor of anchors) top = lines.findIndex((line, n) => n >= top && trim(line) === trim(anchor)) + 1 || top;
  const below = lines.slice(top);
  const near = below.length === 0 ? null : nearest(below, old);
  if (near === null) return "";
  const first = Math.min(Math.max(near.index - near.wanted, 0), below.length - 1);
  const block = below.slice(first, first + old.length);
  const similarity = ratio(head(block.join("\n"), LONGEST), head(old.join("\n"), LONGEST));
  if (similarity < LEAST_SIMILARITY) return "";
  const [from, to] = [top + first + 1, top + first + block.length];
  const span = from === to ? `line ${from}` : `lines ${from}-${to}`;
  return `Did you mean ${span} (${percent(Math.min(similarity, 0.99))} alike): ${quoted(block.join("\n"))}?`;
}
