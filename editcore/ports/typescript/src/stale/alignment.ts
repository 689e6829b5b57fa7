/**
 * The alignment of two texts: which lines of the text that was seen are which lines of the current text.
 *
 *     seen  a  b  c          live  x  a  B  c        line 0 is line 1 now, line 1 was changed, line 2 is line 3 now
 *
 * A diff gives one alignment of several (`there`). Where a line has a copy, or lines may slide along equal ones, another
 * diff would pair it otherwise. `placeOf` is certain only where every good alignment has the lines in one place.
 */

import { lineFeeds } from "../file.js";
import { bisect } from "../line_index.js";
import { withFeeds, withoutMark } from "../lines.js";
import { changes } from "../sequences.js";
import { trim } from "../text.js";
import { TELLING, says } from "./kept.js";
import { type Place, Places } from "./places.js";

/** Blocks that are looked for without tables. */
const FEW = 8;
/** Lines from a block to a line that both texts have once. */
const NEAR = 20;

/** `lines` replace `old[first:last]`; 0-based. */
export type Change = readonly [first: number, last: number, lines: readonly string[]];
export type Block = readonly [first: number, last: number];

/** The lines of a text, each with a line feed alone; its byte order mark is left out. */
export function linesOf(text: string): string[] {
  const plain = lineFeeds(withoutMark(text));
  return withFeeds(isEnded(plain) ? plain : `${plain}\n`);
}

/** Whether no line of a text lacks its line feed. */
export const isEnded = (text: string): boolean => text === "" || text.endsWith("\n");

/** The changes that turn some lines into others, in order. */
export const changesOf = (old: readonly string[], now: readonly string[]): Change[] =>
  changes(old, now).map(({ start, end, put }) => [start, end, put]);

/** The lines of the text that was seen (`old`), of the current text (`now`), and which of them are the same line. */
export class Alignment {
  readonly old: readonly string[];
  readonly now: readonly string[];
  /** Whether the last line of each text has a line feed; here each line has one. */
  readonly ends: readonly [boolean, boolean];
  readonly changes: readonly Change[];
  /** For each line of `old` its line of `now`; null for a line that was changed or removed. */
  readonly there: readonly (number | null)[];
  private readonly starts: readonly number[];
  private readonly stops: readonly number[];
  private readonly texts: readonly [string, string];
  private nAsked = 0;
  private places: Places | null = null;

  constructor(seen: string, live: string) {
    [this.old, this.now] = [linesOf(seen), linesOf(live)];
    this.ends = [isEnded(seen), isEnded(live)];
    this.texts = [this.old.join(""), this.now.join("")];
    this.changes = changesOf(this.old, this.now);
    [this.starts, this.stops] = [this.changes.map(([first]) => first), this.changes.map(([, last]) => last)];
    const there: (number | null)[] = [];
    let at = 0;
    for (const [first, last, lines] of this.changes) {
      while (there.length < first) there.push(at++);
      while (there.length < last) there.push(null);
      at += lines.length;
    }
    while (there.length < this.old.length) there.push(at++);
    this.there = there;
  }

  /** The certain place of a block in `now`, and how many places may be meant; lines compare trimmed. */
  placeOf(first: number, last: number): Place {
    const by = ++this.nAsked <= FEW ? this.movedBy(first, last) : null;
    // The plain case is cheaper without tables of both texts.
    if (by !== null && this.isMarked(first, by, -1) && this.isMarked(last - 1, by, 1)) return { at: first + by, nPlaces: 1 };
    return (this.places ??= new Places(this.old.map(trim), this.now.map(trim))).of(first, last);
  }

  /** Whether line `n` and unchanged lines reach to one that both texts have once, or to the end of both. */
  private isMarked(n: number, by: number, step: number): boolean {
    for (let at = n + step; Math.abs(at - n) <= NEAR; at += step) {
      if (at < 0 || at >= this.old.length) return at + by === -1 || at + by === this.now.length;
      if (this.there[at] !== at + by) return false;
      const line = trim(this.old[at]!);
      if (says(line) === TELLING && this.texts.every((text) => text.indexOf(line, text.indexOf(line) + line.length) < 0)) return true;
    }
    return false;
  }

  /** The number of lines by which a block moved; null if a line of it was changed, or lines came between. */
  movedBy(first: number, last: number): number | null {
    const at = this.there[first];
    if (first >= last || at == null) return null;
    for (let n = first; n < last; n++) if (this.there[n] !== at + n - first) return null;
    return at - first;
  }

  /** The block, extended by the nearest line with text above and below. */
  withTelling(first: number, last: number): Block {
    let [above, below] = [first - 1, last];
    while (above >= 0 && trim(this.old[above]!) === "") above--;
    while (below < this.old.length && trim(this.old[below]!) === "") below++;
    return [Math.max(above, 0), Math.min(below + 1, this.old.length)];
  }

  /** The lines of `old` between the nearest unchanged lines above and below a block. */
  around(first: number, last: number): Block {
    const above = this.changes[bisect(this.starts, first) - 1];
    const below = this.changes[bisect(this.stops, last, true)];
    return [above !== undefined && above[1] >= first ? above[0] : first, below !== undefined && below[0] <= last ? below[1] : last];
  }

  /** The lines of `now` between the same two unchanged lines. */
  between(first: number, last: number): Block {
    const [start, end] = this.around(first, last);
    return [start > 0 ? this.there[start - 1]! + 1 : 0, end < this.old.length ? this.there[end]! : this.now.length];
  }
}
