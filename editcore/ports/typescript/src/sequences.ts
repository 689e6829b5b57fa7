/** Alignments of two lists: the longest common subsequence (7.3), the ratio (12.3), and changes (14). */

import { head as firstOf } from "./text.js";

export type Pair = readonly [number, number];
/** Items `start` to `end` of the first list, and what stands in their place. */
export interface Change<T> {
  readonly start: number;
  readonly end: number;
  readonly put: readonly T[];
}

const TOO_LARGE = 4_000_000;
const REPETITIVE_CELLS = 10_000;
const REPETITIVE_EQUAL = 4;
const ANOTHER_LINE = 0.5;
const MOST_PAIRS = 400;
export const LONGEST = 2_000;

/** How many items are equal at the start, and how many of the rest at the end. */
export function commonEnds<T>(one: readonly T[], other: readonly T[]): Pair {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return [head, tail];
}

/** The pairs of a longest common subsequence: of several, the one that 7.3 names. */
export function lcsPairs<T>(one: readonly T[], other: readonly T[]): Pair[] {
  const [head, tail] = commonEnds(one, other);
  const n = one.length - head - tail;
  const m = other.length - head - tail;
  const width = m + 1;
  const best = new Uint32Array((n + 1) * width);
  for (let i = 1; i <= n; i++) {
    for (let j = 1; j <= m; j++) {
      const at = i * width + j;
      best[at] =
        one[head + i - 1] === other[head + j - 1]
          ? best[at - width - 1]! + 1
          : Math.max(best[at - width]!, best[at - 1]!);
    }
  }
  const middle: Pair[] = [];
  let i = n;
  let j = m;
  while (i > 0 && j > 0) {
    if (best[i * width + j] === best[(i - 1) * width + j]) {
      i--;
      continue;
    }
    j--;
    if (best[i * width + j] === best[(i - 1) * width + j]) {
      i--;
      middle.push([head + i, head + j]);
    }
  }
  const found: Pair[] = [];
  for (let k = 0; k < head; k++) found.push([k, k]);
  found.push(...middle.reverse());
  for (let k = 0; k < tail; k++) found.push([one.length - tail + k, other.length - tail + k]);
  return found;
}

function lcsLength<T>(one: readonly T[], other: readonly T[]): number {
  const [head, tail] = commonEnds(one, other);
  let above = new Uint32Array(other.length - head - tail + 1);
  for (let i = head; i < one.length - tail; i++) {
    const row = new Uint32Array(above.length);
    for (let j = 1; j < row.length; j++) {
      row[j] = one[i] === other[head + j - 1] ? above[j - 1]! + 1 : Math.max(above[j]!, row[j - 1]!);
    }
    above = row;
  }
  return head + tail + above[above.length - 1]!;
}

/** How alike two texts are, 0 to 1. */
export function ratio(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const n = left.length + right.length;
  return n === 0 ? 1 : 1 - (n - 2 * lcsLength(left, right)) / n;
}

/** 1 less the edit distance of two texts, as a share of the longer one; 0 if that is less than a least ratio. */
export function editRatio(one: string, other: string, least: number): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const longest = Math.max(left.length, right.length);
  // A band around the diagonal, as wide as the distance may be.
  const most = Math.floor((1 - least) * longest + 1e-9);
  if (Math.abs(left.length - right.length) > most) return 0;
  let above = Array.from({ length: right.length + 1 }, (_, j) => (j > most ? Infinity : j));
  for (let i = 1; i <= left.length; i++) {
    const row = new Array<number>(right.length + 1).fill(Infinity);
    if (i <= most) row[0] = i;
    for (let j = Math.max(1, i - most); j <= Math.min(right.length, i + most); j++) {
      const isEqual = left[i - 1] === right[j - 1];
      row[j] = isEqual ? above[j - 1]! : 1 + Math.min(above[j - 1]!, above[j]!, row[j - 1]!);
    }
    above = row;
  }
  const distance = above[right.length]!;
  return distance > most ? 0 : longest === 0 ? 1 : 1 - distance / longest;
}

/** The part of a text with the least edit distance to a piece; of several, the one that ends first. */
export function nearestPart(piece: string, text: string): string {
  let [costs, starts] = [Array.from({ length: piece.length + 1 }, (_, i) => i), new Array<number>(piece.length + 1).fill(0)];
  let [best, start, end] = [piece.length, 0, 0];
  for (let j = 1; j <= text.length; j++) {
    const [row, from] = [[0], [j]];
    for (let i = 1; i <= piece.length; i++) {
      const changed = costs[i - 1]! + (piece[i - 1] === text[j - 1] ? 0 : 1);
      const least = Math.min(changed, costs[i]! + 1, row[i - 1]! + 1);
      row.push(least);
      from.push(least === changed ? starts[i - 1]! : least === costs[i]! + 1 ? starts[i]! : from[i - 1]!);
    }
    [costs, starts] = [row, from];
    if (costs[piece.length]! < best) [best, start, end] = [costs[piece.length]!, starts[piece.length]!, j];
  }
  return text.slice(start, end);
}

/** The changes that turn one list into the other. */
export function changes<T>(old: readonly T[], now: readonly T[]): Change<T>[] {
  const [head, tail] = commonEnds(old, now);
  const one = old.slice(head, old.length - tail);
  const other = now.slice(head, now.length - tail);
  const equal: Pair[] = [];
  const apart: Change<T>[] = [];
  let [at, to] = [0, 0];
  for (const [mark, counterpart] of [...landmarks(one, other), [one.length, other.length] as Pair]) {
    if ((mark - at) * (counterpart - to) <= TOO_LARGE) {
      for (const [i, j] of matched(one.slice(at, mark), other.slice(to, counterpart))) equal.push([at + i, to + j]);
    }
    if (mark < one.length) equal.push([mark, counterpart]);
    [at, to] = [mark + 1, counterpart + 1];
  }
  [at, to] = [0, 0];
  for (const [i, j] of [...equal, [one.length, other.length] as Pair]) {
    if (at < i || to < j) apart.push({ start: head + at, end: head + i, put: other.slice(to, j) });
    [at, to] = [i + 1, j + 1];
  }
  return apart;
}

function landmarks<T>(old: readonly T[], now: readonly T[]): Pair[] {
  const [counts, places, where] = [new Map<T, number>(), new Map<T, number>(), new Map<T, number>()];
  for (const one of old) counts.set(one, (counts.get(one) ?? 0) + 1);
  now.forEach((one, n) => {
    places.set(one, (places.get(one) ?? 0) + 1);
    where.set(one, n);
  });
  const pairs: Pair[] = [];
  old.forEach((one, n) => {
    if (counts.get(one) === 1 && places.get(one) === 1) pairs.push([n, where.get(one)!]);
  });
  const [ends, chains, before]: [number[], number[], number[]] = [[], [], []];
  pairs.forEach(([, counterpart], n) => {
    let length = 0;
    for (let high = ends.length; length < high; ) {
      const middle = (length + high) >> 1;
      if (ends[middle]! < counterpart) length = middle + 1;
      else high = middle;
    }
    before.push(length > 0 ? chains[length - 1]! : -1);
    ends[length] = counterpart;
    chains[length] = n;
  });
  const found: Pair[] = [];
  for (let n = chains.at(-1) ?? -1; n >= 0; n = before[n]!) found.push(pairs[n]!);
  return found.reverse();
}

function matched<T>(old: readonly T[], now: readonly T[]): Pair[] {
  const places = new Map<T, number[]>();
  now.forEach((one, n) => {
    const some = places.get(one);
    if (some) some.push(n);
    else places.set(one, [n]);
  });
  if (!old.some((one) => places.has(one))) return [];
  if (old.length === now.length && old.every((one, n) => one === now[n])) return old.map((_, n) => [n, n] as Pair);
  if (old.length * now.length >= REPETITIVE_CELLS) {
    const equal = old.reduce((sum, one) => sum + (places.get(one)?.length ?? 0), 0);
    if (equal >= REPETITIVE_EQUAL * (old.length + now.length)) return lcsPairs(old, now);
  }
  const found: Pair[] = [];
  const queue: [number, number, number, number][] = [[0, old.length, 0, now.length]];
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
    const [low, high, first, last] = one;
    const [i, j, size] = longestBlock(old, places, low, high, first, last);
    if (size === 0) continue;
    for (let k = 0; k < size; k++) found.push([i + k, j + k]);
    if (low < i && first < j) queue.push([low, i, first, j]);
    if (i + size < high && j + size < last) queue.push([i + size, high, j + size, last]);
  }
  return found.sort((one, other) => one[0] - other[0]);
}

function longestBlock<T>(
  old: readonly T[], places: ReadonlyMap<T, readonly number[]>, low: number, high: number, first: number, last: number,
): [number, number, number] {
  let best: [number, number, number] = [low, first, 0];
  let lengths = new Map<number, number>();
  for (let i = low; i < high; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(old[i]!) ?? []) {
      if (j < first) continue;
      if (j >= last) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best[2]) best = [i - size + 1, j - size + 1, size];
    }
    lengths = next;
  }
  return best;
}

/** Which of some old lines each became, of new lines that took their place (7.7). */
export function rewritten(old: readonly string[], now: readonly string[]): Pair[] {
  if (old.length === 0 || now.length === 0 || old.length * now.length > MOST_PAIRS) return [];
  const alike = old.map((one) => now.map((other) => ratio(firstOf(one, LONGEST), firstOf(other, LONGEST))));
  const best = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const pair = alike[i]![j]! >= ANOTHER_LINE ? alike[i]![j]! + best[i + 1]![j + 1]! : 0;
      best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, pair);
    }
  }
  const found: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (best[i]![j] === best[i + 1]![j]) i++;
    else if (best[i]![j] === best[i]![j + 1]) j++;
    else found.push([i++, j++]);
  }
  return found;
}

export const isAnotherLine = (one: string, other: string): boolean => ratio(one, other) < ANOTHER_LINE;
