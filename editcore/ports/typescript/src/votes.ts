/** The places of a file most like a search text (section 11). */

import type { Range } from "./place.js";
import type { Query } from "./query.js";
import { type Pair, lcsPairs } from "./sequences.js";
import { countAlnum, head } from "./text.js";

const MOST_OCCURRENCES = 8;
const MOST_PLACES = 6;
const MOST_LINES = 1_000;
const SLACK = 3;
/** What is beyond the borders of a file: no key of a line. */
const BEYOND = "\n";

export interface Likeness {
  readonly score: number;
  /** Equal lines, of the search text and of the file, ascending in both. */
  readonly pairs: readonly Pair[];
}

export const reach = (one: Likeness): Range => [one.pairs[0]![1], one.pairs.at(-1)![1] + 1];

export function likelyPlaces(query: Query): readonly Likeness[] {
  return (query.likely ??= findPlaces(query.old.keys("FOLDED"), query.file.keys("FOLDED")));
}

function findPlaces(wanted: readonly string[], keys: readonly string[]): Likeness[] {
  if (wanted.length === 0 || wanted.length > MOST_LINES) return [];
  const at = new Map<string, number[]>(wanted.map((line) => [line, []]));
  keys.forEach((key, n) => {
    const found = at.get(key);
    if (found !== undefined && found.length <= MOST_OCCURRENCES) found.push(n);
  });
  const weights = wanted.map((line) => weight(line, at.get(line)!.length));
  const votes = new Map<number, number>();
  wanted.forEach((line, n) => {
    const found = at.get(line)!;
    if (found.length > MOST_OCCURRENCES) return;
    for (const place of found) votes.set(place - n, (votes.get(place - n) ?? 0) + weights[n]!);
  });
  const starts = [...votes].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, MOST_PLACES);
  const ofAll = weights.reduce((sum, one) => sum + one, 0);
  const found = new Map<string, Likeness>();
  for (const [start] of starts) {
    const pairs = pairsAt(wanted, keys, start);
    if (pairs.length === 0) continue;
    found.set(String(pairs), { pairs, score: pairs.reduce((sum, [n]) => sum + weights[n]!, 0) / ofAll });
  }
  return [...found.values()].sort((one, other) => other.score - one.score || compared(one.pairs.flat(), other.pairs.flat()));
}

function compared(one: readonly number[], other: readonly number[]): number {
  const n = one.findIndex((value, k) => value !== other[k]);
  return n < 0 || n >= other.length ? one.length - other.length : one[n]! - other[n]!;
}

const weight = (line: string, n: number): number =>
  (0.1 + 0.9 * Math.min(1, countAlnum(head(line, 64)) / 16)) / Math.sqrt(Math.max(n, 1));

function pairsAt(wanted: readonly string[], keys: readonly string[], start: number): Pair[] {
  const first = start - SLACK;
  const window = Array.from({ length: wanted.length + 2 * SLACK }, (_, k) => keys[first + k] ?? BEYOND);
  return lcsPairs(wanted, window).map(([n, m]) => [n, first + m]);
}
