/**
 * Where lines of the text that was seen certainly are in the current text.
 *
 *     seen  |a      now  |a       A diff may pair `b` with line 2 of now or with line 4. Paired with line 2, a, b, c and d
 *           |b           |b       are kept. Paired with line 4, a, b and d are kept. Line 2 is certain.
 *           |c           |c
 *           |d           |b
 *                        |d
 *
 * A place is certain if every good alignment of both texts has the lines there. Of two copies that others' changes do not
 * tell apart, none is certain. editcore/stale/places.py says why.
 */

import { LineIndex, bisect } from "../line_index.js";
import { isSame } from "../lines.js";
import { countAlnum } from "../text.js";
import { END, Kept, TELLING, numbersOf, says } from "./kept.js";

const APART = 3;
const MARGIN = 2;
const ENOUGH = 12;
const NEAR = 3;
const TOGETHER = 3;
const CONTEXT = 12;
const MOST_PAIRS = 64_000_000;
const MOST_PLACES = 100;

/** The place of some lines. */
export interface Place {
  /** 0-based; null if no place is certain. */
  readonly at: number | null;
  /** The number of places in the current text that may be meant; 1 if one is certain. */
  readonly nPlaces: number;
}

/** Equal lines in a row in both texts, between two lines that each text has once; moved down by some lines. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly by: number;
}

/** Two lists of trimmed lines, and the places in `new` where lines of `old` certainly are. */
export class Places {
  private readonly old: readonly string[];
  private readonly now: readonly string[];
  private readonly ofOld: LineIndex;
  private readonly ofNew: LineIndex;
  private readonly stretches: readonly Stretch[];
  private readonly starts: readonly number[];
  private readonly known = new Map<string, Place>();
  private left: readonly [number[], number[]] | null = null;
  private evidence: Evidence | null = null;

  constructor(old: readonly string[], now: readonly string[]) {
    // The start and the end of a text are lines that both texts have once.
    [this.old, this.now] = [[`${END}start`, ...old, `${END}end`], [`${END}start`, ...now, `${END}end`]];
    [this.ofOld, this.ofNew] = [new LineIndex(this.old), new LineIndex(this.now)];
    this.stretches = stretchesOf(this.old, this.now);
    this.starts = this.stretches.map((one) => one.first);
  }

  /** The place of the block `old[first:last]`. */
  of(first: number, last: number): Place {
    const key = `${first} ${last}`;
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = this.find(first + 1, last + 1)));
    return found;
  }

  private find(first: number, last: number): Place {
    const one = this.stretches[Math.max(bisect(this.starts, first, true) - 1, 0)];
    if (one !== undefined && one.first < first && last < one.last) return { at: first + one.by - 1, nPlaces: 1 };
    const block = this.old.slice(first, last);
    if (block.length > 0 && block.every((line) => line === "")) return this.besideText(first, last);
    const places = block.length > 0 ? this.ofNew.places(block, "exact") : [];
    const at = places.length > 0 ? this.certain(first, last, places) : null;
    return at === null ? { at, nPlaces: places.length } : { at: at - 1, nPlaces: 1 };
  }

  /** The place of blank lines: where they are together with the next line that has text, above or below. */
  private besideText(first: number, last: number): Place {
    const above = this.old.findLastIndex((line, n) => n < first && line !== "");
    const below = this.old.findIndex((line, n) => n >= last && line !== "");
    const found = new Set<number | null>();
    for (const [start, end] of [[above, last], [first, below + 1]] as const) {
      if (start > 0 && end < this.old.length) {
        const there = this.of(start - 1, end - 1);
        if (there.nPlaces > 0) found.add(there.at === null ? null : there.at + first - start);
      } else {
        const at = start === 0 ? 0 : this.now.length - (end - start); // An end of both texts.
        if (isSame(this.now.slice(at, at + end - start), this.old.slice(start, end))) found.add(at + first - start - 1);
      }
    }
    const [at] = [...found];
    return found.size === 1 && at !== null ? { at: at!, nPlaces: 1 } : { at: null, nPlaces: found.size };
  }

  /** The certain one of the places; null if no one is. */
  private certain(first: number, last: number, places: readonly number[]): number | null {
    const n = Math.max(bisect(this.starts, first, true) - 1, 0);
    for (const one of this.stretches.slice(n, n + 2)) {
      if (one.first + CONTEXT < last && first < one.last - CONTEXT) { // A part of the block is cut.
        return places.includes(first + one.by) ? first + one.by : null;
      }
    }
    const [old, now] = (this.left ??= this.findLeft());
    if (old.length * now.length > MOST_PAIRS || places.length > MOST_PLACES) return null;
    const [nLines, start] = [last - first, bisect(old, first)];
    const found = places.map((at) => bisect(now, at)).filter((at) => now[at]! + nLines - 1 === now[Math.min(at + nLines, now.length) - 1]);
    if (found.length === 0) return null;
    const isOnly = places.length === 1 && this.ofOld.places(this.old.slice(first, last), "exact", 2).length === 1;
    this.evidence ??= new Evidence(old.map((one) => this.old[one]!), now.map((one) => this.now[one]!));
    const best = this.evidence.place(start, start + nLines, found, isOnly);
    return best === null ? null : now[best]!;
  }

  /** The lines of both texts that are not far within a stretch. */
  private findLeft(): readonly [number[], number[]] {
    const cuts = this.stretches.map(({ first, last, by }) => ({ first: first + CONTEXT, last: last - CONTEXT, by }));
    const some = cuts.filter(({ first, last }) => first < last);
    const inNew = some.map(({ first, last, by }) => [first + by, last + by] as const).sort(([one], [other]) => one - other);
    return [outside(some.map(({ first, last }) => [first, last] as const), this.old.length), outside(inNew, this.now.length)];
  }
}

/** The stretches, from the top down. */
function stretchesOf(old: readonly string[], now: readonly string[]): Stretch[] {
  const [found, ofNew]: [Stretch[], ReadonlyMap<string, readonly number[]>] = [[], numbersOf(now)];
  let [first, last, by] = [-1, -1, -1];
  for (const [line, numbers] of numbersOf(old)) {
    const there = ofNew.get(line) ?? [];
    if (numbers.length > 1 || there.length !== 1 || says(line) < TELLING) continue;
    const [n, at] = [numbers[0]!, there[0]!];
    let isOne = at - n === by && n - last === at - (last + by);
    for (let k = last; isOne && k < n; k++) isOne = old[k] === now[k + by];
    if (!isOne) {
      found.push({ first, last, by });
      [first, by] = [n, at - n];
    }
    last = n + 1;
  }
  return [...found.slice(1), { first, last, by }];
}

/** The numbers from 0 to `end` outside of ascending ranges. */
function outside(ranges: readonly (readonly [number, number])[], end: number): number[] {
  const found: number[] = [];
  let done = 0;
  for (const [first, last] of [...ranges, [end, end] as const]) {
    for (let n = done; n < first; n++) found.push(n);
    done = last;
  }
  return found;
}

/** What speaks for the places of a block, in two lists of lines whose long stretches are shortened. */
class Evidence {
  private readonly at: ReadonlyMap<string, readonly number[]>;
  private readonly kept: Kept;

  constructor(private readonly old: readonly string[], private readonly now: readonly string[]) {
    [this.at, this.kept] = [numbersOf(now), new Kept(old, now)];
  }

  /** The certain one among the places of a block; `isOnly`: both texts have the block once. */
  place(first: number, last: number, places: readonly number[], isOnly: boolean): number | null {
    const around = places.map((at) => this.kept.around(first, last, at));
    const most = Math.max(...around);
    const best = places[around.indexOf(most)]!;
    if (places.some((at, n) => at !== best && most - around[n]! < APART)) return null;
    const kept = most + this.old.slice(first, last).reduce((sum, line) => sum + says(line), 0);
    if (this.isInOrder(first, last, best, kept, isOnly)) return this.stays(first, last, best) ? best : null;
    return isOnly && this.hasMoved(first, last, best) ? best : null;
  }

  /**
   * Whether no good alignment has an end of the block elsewhere, and none is without both. One end is enough for a block
   * that both texts have once.
   */
  private isInOrder(first: number, last: number, place: number, kept: number, isOnly: boolean): boolean {
    const said = this.old.slice(first, last).map(says);
    const most = said.reduce((one, other) => Math.max(one, other), 0);
    const ends = [...new Set([first + said.indexOf(most), first + said.lastIndexOf(most)])];
    const isThere = ends.map((n) => kept - this.kept.without(n, n + 1) >= Math.min(MARGIN, says(this.old[n]!)));
    const isOnlyThere = ends.map((n) => this.isNowhereElse(n, place + n - first, kept));
    return isOnly ? ends.some((_, k) => isThere[k] && isOnlyThere[k]) : isThere.some(Boolean) && isOnlyThere.every(Boolean);
  }

  /** Whether no good alignment has line `n` at another place than this one. */
  private isNowhereElse(n: number, place: number, kept: number): boolean {
    const [line, said] = [this.old[n]!, says(this.old[n]!)];
    const others = (this.at.get(line) ?? []).filter((at) => at !== place);
    const elsewhere = others.reduce((most, at) => Math.max(most, this.kept.around(n, n + 1, at)), 0) + said;
    return others.length === 0 || kept - elsewhere >= Math.min(MARGIN, said);
  }

  /** Whether a line with text near the block is as near there, or the block says enough. */
  private stays(first: number, last: number, place: number): boolean {
    const by = place - first;
    for (let n = Math.max(first - NEAR, 0); n < Math.min(last + NEAR, this.old.length); n++) {
      if (n >= first && n < last) continue;
      if (says(this.old[n]!) === TELLING && this.old[n] === this.now[n + by]) return true;
    }
    return this.company(first, last, place).some((some) => some.length > 0) || this.saysEnough(first, last);
  }

  /** Whether the block went with lines beside it, or alone from between lines that stayed. */
  private hasMoved(first: number, last: number, place: number): boolean {
    const [{ kept }, [up, down]] = [this, this.company(first, last, place)];
    const most = kept.without(0, 0);
    // Lines beside the block went along if a good alignment keeps nothing of them elsewhere.
    while (up.length > 0 && most - kept.without(up.at(-1)!, last) >= MARGIN) up.pop();
    const start = up.at(-1) ?? first;
    while (down.length > 0 && most - kept.without(start, down.at(-1)! + 1) >= MARGIN) down.pop();
    const end = (down.at(-1) ?? last - 1) + 1;
    if (most - kept.without(start, end) >= MARGIN) return false;
    if (this.saysEnough(first, last) && this.isClosed(first, last)) return true;
    return this.old.slice(start, end).filter((line) => says(line) === TELLING).length >= TOGETHER;
  }

  /** Whether the lines with text beside the block follow each other where the block should be. */
  private isClosed(first: number, last: number): boolean {
    const [above, below] = beside(this.old, first, last);
    return this.kept.borders(first, last).some((at) => {
      const there = beside(this.now, at, at);
      return there[0] === above && there[1] === below;
    });
  }

  /** The lines with text above the block, and below it, that are beside the place too; the nearest ones first. */
  private company(first: number, last: number, place: number): [number[], number[]] {
    return [this.alike(first - 1, place - 1, -1), this.alike(last, place + last - first, 1)];
  }

  private alike(mine: number, theirs: number, step: number): number[] {
    const found: number[] = [];
    for (let [n, at] = [mine, theirs]; found.length < NEAR; n += step, at += step) {
      while (this.old[n] === "") n += step;
      while (this.now[at] === "") at += step;
      if (this.old[n] === undefined || this.old[n] !== this.now[at]) break;
      if (says(this.old[n]!) === TELLING) found.push(n);
    }
    return found;
  }

  private saysEnough(first: number, last: number): boolean {
    return countAlnum(this.old.slice(first, last).join("")) >= ENOUGH;
  }
}

/** The nearest lines with text above and below a block. */
function beside(lines: readonly string[], first: number, last: number): [string | undefined, string | undefined] {
  let [above, below] = [first - 1, last];
  while (lines[above] === "") above--;
  while (lines[below] === "") below++;
  return [lines[above], lines[below]];
}
