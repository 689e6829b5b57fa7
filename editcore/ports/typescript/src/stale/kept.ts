/**
 * What the best alignments of two lists of lines keep: a longest common subsequence, for every start of both lists.
 *
 *     old  a  b  c      new  b  x  c  a         the first 3 lines of `old` have in common with the lines above each
 *                          0  2  2  4  4        border of `new`: nothing, `b`, `b`, `b c`, `b c`
 *
 * A line says 2 if it has a letter or a digit, 1 if it has signs alone, as a bracket has, and 0 if it is blank. An
 * alignment keeps the sum of what its lines say. The rows are bits (Hyyrö, "Bit-parallel LCS-length computation
 * revisited"): what a line says is its number of bits, and as many of the lowest bits are 0 as there is in common.
 */

import { sums } from "../lines.js";
import { hasAlnum } from "../text.js";

/** What a line with a letter or digit says. */
export const TELLING = 2;
/** The first character of a line that stands for the start or the end of a text; no line has it. */
export const END = "\n";
/** Rows from one that is remembered to the next. */
const APART = 8;
const MOST_COUNTS = 64;

/** What a trimmed line says: 2 with a letter or digit, 1 without, 0 if it is blank. */
export const says = (line: string): number => (line[0] === END || hasAlnum(line) ? TELLING : line === "" ? 0 : 1);

/** Line -> its numbers, ascending. */
export function numbersOf(lines: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  lines.forEach((line, n) => {
    const some = found.get(line);
    if (some) some.push(n);
    else found.set(line, [n]);
  });
  return found;
}

/** What the starts of two lists of lines have in common, as one row of bits for each start of `old`. */
class Rows {
  /** The number of bits of the first lines of `new`, for each number of lines. */
  readonly ends: readonly number[];
  private readonly at: ReadonlyMap<string, readonly number[]>;
  private readonly known: Uint32Array[];
  private readonly counted = new Map<number, Int32Array>();

  constructor(private readonly old: readonly string[], now: readonly string[]) {
    this.ends = sums(now.map(says));
    this.at = numbersOf(now);
    this.known = [new Uint32Array((this.ends.at(-1)! >>> 5) + 1).fill(0xffffffff)];
  }

  /** The number of bits in common with the first `nOld` lines of `old`, below each bit. */
  counts(nOld: number): Int32Array {
    let found = this.counted.get(nOld);
    if (found === undefined) {
      if (this.counted.size > MOST_COUNTS) this.counted.clear();
      const row = this.row(nOld);
      found = new Int32Array(this.ends.at(-1)! + 1);
      for (let n = 0; n + 1 < found.length; n++) found[n + 1] = found[n]! + (1 - ((row[n >>> 5]! >>> (n & 31)) & 1));
      this.counted.set(nOld, found);
    }
    return found;
  }

  private row(nOld: number): Uint32Array {
    while (this.known.length <= Math.floor(nOld / APART)) {
      const start = (this.known.length - 1) * APART;
      this.known.push(this.after(this.known.at(-1)!, start, start + APART));
    }
    const start = Math.floor(nOld / APART);
    return this.after(this.known[start]!, start * APART, nOld);
  }

  private after(row: Uint32Array, first: number, last: number): Uint32Array {
    const bits = row.slice();
    for (const line of this.old.slice(first, last)) {
      const there = this.at.get(line);
      for (let n = 0; there !== undefined && n < says(line); n++) this.add(bits, there, n);
    }
    return bits;
  }

  /** `bits + (bits & signs) | bits & ~signs`, where the signs are bit `n` of each line; only words that change. */
  private add(bits: Uint32Array, there: readonly number[], n: number): void {
    let carry = 0;
    for (let k = 0, word = 0; k < there.length || carry > 0; word++) {
      if (carry === 0) word = (this.ends[there[k]!]! + n) >>> 5;
      if (word >= bits.length) return;
      let signs = 0;
      for (; k < there.length && (this.ends[there[k]!]! + n) >>> 5 === word; k++) signs |= 1 << ((this.ends[there[k]!]! + n) & 31);
      const [one, both] = [bits[word]!, (bits[word]! & signs) >>> 0];
      const sum = one + both + carry;
      bits[word] = (sum | (one & ~signs)) >>> 0;
      carry = sum > 0xffffffff ? 1 : 0;
    }
  }
}

/** What the best alignments of `old` and `new` keep, of trimmed lines. */
export class Kept {
  private readonly down: Rows;
  private readonly up: Rows;
  private readonly known = new Map<string, number>();

  constructor(private readonly old: readonly string[], private readonly now: readonly string[]) {
    [this.down, this.up] = [new Rows(old, now), new Rows(old.toReversed(), now.toReversed())];
  }

  /** What is kept around `old[first:last]` if these lines are paired with those at a place: above both, and below both. */
  around(first: number, last: number, place: number): number {
    const [above, below] = [this.down.counts(first), this.up.counts(this.old.length - last)];
    const nBelow = this.now.length - (last - first) - place;
    return above[this.down.ends[place]!]! + below[this.up.ends[nBelow]!]!;
  }

  /** What a best alignment keeps that pairs no line of `old[first:last]`. */
  without(first: number, last: number): number {
    const key = `${first} ${last}`;
    let most = this.known.get(key);
    if (most === undefined) {
      const [above, below] = [this.down.counts(first), this.up.counts(this.old.length - last)];
      most = 0;
      for (let n = 0; n < above.length; n++) most = Math.max(most, above[n]! + below[above.length - 1 - n]!);
      this.known.set(key, most);
    }
    return most;
  }

  /** The borders of `new` where a best alignment without `old[first:last]` may have the place of these lines. */
  borders(first: number, last: number): number[] {
    const [above, below] = [this.down.counts(first), this.up.counts(this.old.length - last)];
    const most = this.without(first, last);
    const every = Array.from({ length: this.now.length + 1 }, (_, at) => at);
    return every.filter((at) => above[this.down.ends[at]!]! + below[this.up.ends[this.now.length - at]!]! === most);
  }
}
