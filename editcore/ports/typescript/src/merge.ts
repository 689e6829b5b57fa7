/** Merges an edit into its place: only what the edit changes is written (section 7). */

import { AS_WRITTEN, type Frame, type Indents, type Shared, type Shift, beginsBlock, even, frameOf, sameShift, shifted } from "./frame.js";
import type { FileText } from "./file.js";
import { type Group, type Place, type Range, size, there } from "./place.js";
import { commonEnds, lcsPairs, rewritten } from "./sequences.js";
import { type Key, Lines, indent, tail, trim, trimEnd } from "./text.js";
import { mergedLine } from "./within_line.js";

const MOST_CELLS = 4_000_000;

export interface Merged {
  readonly first: number;
  readonly last: number;
  /** New lines, and numbers of lines of the file that stay. */
  readonly lines: readonly (string | number)[];
}
export type Doubt = "indentation" | "within_line";
interface Gap {
  readonly dropped: Range;
  readonly added: Range;
}

/** For each new line the old line that it is, in order, and as many as possible (7.3). */
export function partners(old: readonly string[], now: readonly string[]): (number | null)[] {
  const [head, end] = commonEnds(old, now);
  const found = new Array<number | null>(now.length).fill(null);
  for (let k = 0; k < head; k++) found[k] = k;
  for (let k = 1; k <= end; k++) found[now.length - k] = old.length - k;
  const [ours, theirs] = [old.slice(head, old.length - end), now.slice(head, now.length - end)];
  const known = new Set(ours);
  if (ours.length * theirs.length <= MOST_CELLS && theirs.some((one) => known.has(one))) {
    for (const [i, j] of lcsPairs(ours, theirs)) found[head + j] = head + i;
  }
  return found;
}

const nNone = (some: readonly (number | null)[]): number => some.filter((one) => one === null).length;

/** With `keepsTails`, whitespace at the end of a changed line stays if only the file has it, as in Markdown. */
export function merged(file: FileText, place: Place, old: Lines, now: Lines, key: Key, keepsTails: boolean): Merged | Doubt {
  const merge = new Merge(file, place, old, now, key, keepsTails);
  return merge.result() ?? (merge.conflict ? "within_line" : "indentation");
}

class Merge {
  conflict = false;
  private readonly partner: (number | null)[];
  private readonly groupOf = new Map<number, Group>();
  private readonly gaps: Gap[];
  private readonly shifts: Shifts;
  private readonly out: (string | number)[] = [];
  private frame: Frame = AS_WRITTEN;
  private rewrites: Map<number, number> | null = null;
  private blank: Map<number, BlankLines> | null = null;

  constructor(
    private readonly file: FileText, private readonly place: Place, private readonly old: Lines,
    private readonly now: Lines, key: Key, private readonly keepsTails: boolean,
  ) {
    this.partner = partners(old.keys(key), now.keys(key));
    if (this.partner.some((one, n) => one !== null && old.solid[one] !== now.solid[n])) {
      const same = partners(old.solid, now.solid);
      if (nNone(same) === nNone(this.partner)) this.partner = same;
    }
    for (const group of place.groups) for (let n = group[0][0]; n < group[0][1]; n++) this.groupOf.set(n, group);
    this.gaps = gapsOf(this.partner, old.solid.length);
    this.shifts = new Shifts(old, now, this.partner, this.gaps, (n) => this.single(n));
  }

  result(): Merged | null {
    const frame = this.findFrame();
    if (frame === null || this.mayKeepAnother() || this.mayDropAnother()) return null;
    this.frame = frame;
    const [from, to] = there(this.place);
    const first = this.file.at[from]!;
    let last = this.file.at[to - 1]! + 1;
    this.out.push(...this.moreBlankLines(0, 0));
    for (let n = 0; n < this.now.solid.length; ) {
      if (n > 0) this.out.push(...this.blankLinesAbove(n));
      const step = this.keptGroup(n);
      if (step === 0 && !this.written(n)) return null;
      n += step || 1;
    }
    if (this.conflict) return null;
    this.out.push(...this.moreBlankLines(this.old.solid.length, this.now.solid.length));
    if (this.now.solid.length === 0) last += this.blankLinesDeleted(last);
    return { first, last, lines: this.out };
  }

  /** The texts of a search line and of the file's line, if one line stands for it. */
  private single(n: number): readonly [string, string] | null {
    const group = this.groupOf.get(n);
    if (group === undefined || size(group[0]) !== 1 || size(group[1]) !== 1) return null;
    return [this.old.solid[n]!, this.file.solid[group[1][0]]!];
  }

  private findFrame(): Frame | null {
    const pairs = new Map<number, Indents>();
    for (const [ours, theirs] of this.place.groups) {
      if (size(ours) > 0 && size(theirs) > 0) {
        pairs.set(ours[0], [this.old.indents[ours[0]]!, indent(this.file.solid[theirs[0]]!)]);
      }
    }
    const shared = this.partner.map((one, n): Shared | null => {
      if (one === null || this.single(one) === null) return null;
      const [old, here] = pairs.get(one)!;
      return { line: one, written: this.now.indents[n]!, old, there: here };
    });
    const frame = frameOf([...pairs.values()], shared, this.now.indents, this.now.solid);
    const depths = new Map(pairs.values());
    const isShift = frame?.table === undefined && (frame?.shift?.added || frame?.shift?.removed);
    // The depth of a broken line's second part depends on the edit's unit, which one depth does not show.
    if (frame && isShift && depths.size === 1 && this.place.groups.some(([ours]) => size(ours) > 1)) return { ...frame, table: depths };
    return frame;
  }

  private mayKeepAnother(): boolean {
    const kept = new Set(this.partner);
    const dropped = new Set<string>();
    this.old.solid.forEach((_, n) => {
      const texts = kept.has(n) ? null : this.single(n);
      if (texts) dropped.add(trimEnd(texts[1]));
    });
    return this.partner.some((one, n) => {
      const texts = one === null ? null : this.single(one);
      const mine = trimEnd(this.now.solid[n]!);
      return texts !== null && dropped.has(mine) && mine !== trimEnd(texts[1]);
    });
  }

  private mayDropAnother(): boolean {
    const { solid } = this.old;
    const differ = (one: number, other: number): boolean => {
      if (solid[one] !== solid[other]) return false;
      const [mine, theirs] = [this.single(one), this.single(other)];
      return mine?.[0] !== theirs?.[0] || mine?.[1] !== theirs?.[1];
    };
    return this.gaps.some(({ dropped: [first, last], added }) => {
      if (first === last || size(added) > 0) return false;
      return (first > 0 && differ(first - 1, last - 1)) || (last < solid.length && differ(first, last));
    });
  }

  /** The file's indentation for a new line; null where it is not certain. */
  private indentation(n: number): string | null {
    const written = this.now.indents[n]!;
    const { first, onlyFirst, margin, isOneDepth, table, shift, isLocal } = this.frame;
    if (n === 0 && first) {
      if (written === first[0]) return first[1];
      if (isLocal) return null;
    }
    if (table) return table.get(written) ?? null;
    if (!isLocal && written === onlyFirst) return null;
    if (margin !== undefined && written !== margin) {
      const isMultiple = isOneDepth && written.length % margin.length === 0;
      if (written === "") return "";
      if (isMultiple || !written.startsWith(margin)) return null;
    }
    const by = isLocal ? this.shifts.around(n) : (shift ?? null);
    return by === null ? null : shifted(written, by);
  }

  private keptGroup(n: number): number {
    const partner = this.partner[n]!;
    const group = partner === null ? undefined : this.groupOf.get(partner);
    if (partner === null || group === undefined) return 0;
    const [ours, theirs] = group;
    if (size(ours) === 1 && size(theirs) === 1) return this.keptLine(n, partner, theirs[0]) ? 1 : 0;
    for (let k = 0; k < size(ours); k++) {
      const one = ours[0] + k;
      if (this.partner[n + k] !== one || this.now.solid[n + k] !== this.old.solid[one]) return 0;
    }
    for (let at = this.file.at[theirs[0]]!; at <= this.file.at[theirs[1] - 1]!; at++) this.out.push(at);
    return size(ours);
  }

  private keptLine(n: number, partner: number, here: number): boolean {
    const [mine, base, line] = [this.now.solid[n]!, this.old.solid[partner]!, this.file.solid[here]!];
    if (mine === base) {
      this.out.push(this.file.at[here]!);
      return true;
    }
    const inner = mergedLine(trim(base), trim(mine), trim(line)) ?? trim(mine);
    const end = [tail(base), tail(line)].includes(tail(mine)) ? tail(line) : tail(mine);
    const start = indent(mine) === indent(base) ? indent(line) : this.indentation(n);
    if (start === null) return false;
    const whole = start + inner + end;
    this.out.push(whole === line ? this.file.at[here]! : whole);
    return true;
  }

  private written(n: number): boolean {
    const start = this.indentation(n);
    if (start === null || (/[^ \t]/.test(start) && !this.file.text.includes(`\n${start}`))) return false;
    let text = this.now.solid[n]!.slice(this.now.indents[n]!.length);
    this.rewrites ??= this.findRewrites();
    const was = this.rewrites.get(n);
    const texts = was === undefined ? null : this.single(was);
    if (texts) {
      const inner = mergedLine(trim(texts[0]), trim(text), trim(texts[1]));
      if (inner === null) {
        this.conflict = true;
        return false;
      }
      text = inner + tail(this.keepsTails && tail(text) === tail(texts[0]) ? texts[1] : text);
    }
    this.out.push(start + text);
    return true;
  }

  private findRewrites(): Map<number, number> {
    const found = new Map<number, number>();
    const differs = (n: number): boolean => {
      const texts = this.single(n);
      return texts !== null && texts[0].trimStart() !== texts[1].trimStart();
    };
    for (const { dropped, added } of this.gaps) {
      const some = this.old.solid.slice(...dropped);
      if (size(added) === 0 || !some.some((_, k) => differs(dropped[0] + k))) continue;
      const isOne = size(dropped) === 1 && size(added) === 1;
      const pairs = isOne ? [[0, 0] as const] : rewritten(some.map(trim), this.now.solid.slice(...added).map(trim));
      for (const [i, j] of pairs) {
        if (differs(dropped[0] + i)) found.set(added[0] + j, dropped[0] + i);
      }
    }
    return found;
  }

  /** The blank lines above a new line: the edit's where it changes their number, otherwise the file's. */
  private blankLinesAbove(n: number): BlankLines {
    if (this.blank === null) {
      this.blank = new Map();
      for (const gap of this.gaps) {
        this.blankLines(gap).forEach((lines, k) => this.blank!.set(gap.added[0] + k, lines));
      }
    }
    return this.blank.get(n)!;
  }

  /** The blank lines above and below each added line of a gap. */
  private blankLines({ dropped, added }: Gap): BlankLines[] {
    const [ours, theirs] = [upTo(dropped), upTo(added)];
    const old = ours.map((n) => this.old.blankAbove(n).length);
    const now: BlankLines[] = theirs.map((n) => this.now.blankAbove(n));
    const there = ours.map((n) => this.linesOf(this.fileGap(n)));
    if (old.length !== now.length && (size(dropped) === 0 || size(added) === 0)) {
      return size(dropped) > 0 ? joinedGap(old, now, there) : this.openedGap(added, old[0]!, now, there[0]!);
    }
    const pairs = old.length === now.length ? now.map((_, n) => [n, n] as const) : [[0, 0], [old.length - 1, now.length - 1]] as const;
    for (const [i, j] of pairs) {
      const file = there[i]!;
      if (file === null || old[i] !== now[j]!.length) continue;
      if (old[i] === file.length || old.length !== now.length || this.isOneGap(i, dropped, added)) now[j] = file;
    }
    return now;
  }

  private isOneGap(n: number, dropped: Range, added: Range): boolean {
    if (n === 0 || n === size(dropped)) return true;
    const pairs = rewritten(this.old.solid.slice(...dropped).map(trim), this.now.solid.slice(...added).map(trim));
    return [n - 1, n].every((one) => pairs.some(([i, j]) => i === one && j === one));
  }

  /** Where lines are only added: the edit's blank lines, and once those that only the file has there. */
  private openedGap(added: Range, old: number, now: BlankLines[], there: BlankLines | null): BlankLines[] {
    if (there === null) return now;
    let same = now.flatMap((one, n) => (one.length === old ? [n] : []));
    if (old === 0 && there.length > 0) {
      const most = now.reduce((best, one, n) => (one.length > now[best]!.length ? n : best), 0);
      same = now[most]!.length > 0 ? [most] : this.likeNeighbour(added, now.length - 1);
      this.conflict ||= same.length === 0;
    }
    if (same.length > 0 && (there.length >= old || (there.length === 0 && same.length === 1))) now[same[0]!] = there;
    return now;
  }

  /** Where added lines are apart from a neighbour, by their indentation: above (0), below (`last`), or nowhere. */
  private likeNeighbour([from, to]: Range, last: number): number[] {
    const [above, first, end, below] = [from - 1, from, to - 1, to].map((n) => this.now.indents[n]!);
    if ((first === above) === (end === below)) return [];
    return first === above ? [last] : [0];
  }

  private linesOf(range: Range | null): number[] | null {
    return range && Array.from({ length: size(range) }, (_, k) => range[0] + k);
  }

  private fileGap(n: number): Range | null {
    const [above, below] = [this.groupOf.get(n - 1), this.groupOf.get(n)];
    if (above === undefined || below === undefined || above === below) return null;
    return [this.file.at[above[1][1] - 1]! + 1, this.file.at[below[1][0]]!];
  }

  private blankLinesDeleted(last: number): number {
    const most = this.old.blankAbove(this.old.solid.length).length - this.now.all.length;
    let n = 0;
    while (n < most && last + n < this.file.all.length && trim(this.file.all[last + n]!) === "") n++;
    return n;
  }

  private moreBlankLines(inOld: number, inNew: number): string[] {
    const isBlankOnly = nNone(this.partner) === 0 && this.partner.length === this.old.solid.length;
    if (isBlankOnly || this.now.solid.length === 0) return [];
    const more = this.now.blankAbove(inNew).length - this.old.blankAbove(inOld).length;
    return new Array<string>(Math.max(more, 0)).fill("");
  }
}

/** Blank lines of the edit, or the numbers of lines of the file. */
type BlankLines = readonly (string | number)[];
/** The numbers of a range, and the one after it. */
const upTo = ([first, last]: Range): number[] => Array.from({ length: last - first + 1 }, (_, k) => first + k);

/** Where lines are dropped: the edit's blank lines, and once those that only the file has there. */
function joinedGap(old: readonly number[], now: BlankLines[], there: readonly (BlankLines | null)[]): BlankLines[] {
  const [above, below] = [there[0] ?? null, there.at(-1) ?? null];
  if (above === null || below === null) return now;
  const pairs = [[old[0]!, above], [old.at(-1)!, below]] as const;
  const same = pairs.filter(([n]) => n === now[0]!.length).map(([, file]) => file);
  const more = Math.max(...pairs.map(([n, file]) => file.length - n), 0);
  if (same.length > 0) return [same.reduce((most, one) => (one.length > most.length ? one : most))];
  return [[...now[0]!, ...new Array<string>(more).fill("")]];
}

function gapsOf(partner: readonly (number | null)[], nOld: number): Gap[] {
  const found: Gap[] = [];
  let [one, n] = [-1, -1];
  const put = (other: number, m: number): void => {
    found.push({ dropped: [one + 1, other], added: [n + 1, m] });
    [one, n] = [other, m];
  };
  partner.forEach((other, m) => other !== null && put(other, m));
  put(nOld, partner.length);
  return found;
}

/** How the file shifts the indentation of new lines where no one rule holds for all (8.9, local). */
class Shifts {
  private isFlat?: boolean;
  private nearest: [(Shift | null)[], (Shift | null)[]] | null = null;

  constructor(
    private readonly old: Lines, private readonly now: Lines, private readonly partner: readonly (number | null)[],
    private readonly gaps: readonly Gap[], private readonly single: (n: number) => readonly [string, string] | null,
  ) {}

  around(n: number): Shift | null {
    const { dropped, added } = this.gaps.findLast((gap) => gap.added[0] <= n)!;
    const isAdded = n < added[1];
    const others: (Shift | null)[] = [];
    for (let one = dropped[0]; isAdded && one < dropped[1]; one++) {
      const shift = this.old.indents[one] === this.now.indents[n] ? this.ofOld(one) : undefined;
      if (shift !== undefined && !others.some((other) => sameShift(other, shift))) others.push(shift);
    }
    if (size(dropped) === 1 && size(added) === 1 && others.length === 1) {
      const isBetween = added[0] > 0 && added[1] < this.partner.length;
      if (isBetween || rewritten([trim(this.old.solid[dropped[0]]!)], [trim(this.now.solid[n]!)]).length > 0) {
        return others[0]!;
      }
    }
    this.isFlat ??= new Set(this.now.indents).size === 1;
    if (isAdded && this.isFlat && this.now.solid.slice(...added).some(beginsBlock)) return null;
    const [above, below] = (this.nearest ??= this.findNearest()).map((some) => some[n]!) as [Shift | null, Shift | null];
    return [below, ...others].every((one) => sameShift(one, above)) ? above : null;
  }

  private findNearest(): [(Shift | null)[], (Shift | null)[]] {
    const shifts = this.partner.map((one, n) =>
      one === null || this.old.indents[one] !== this.now.indents[n] ? null : this.ofOld(one),
    );
    const latest = (some: readonly (Shift | null)[]): (Shift | null)[] => {
      let last: Shift | null = null;
      return some.map((one) => (last = one ?? last));
    };
    return [latest(shifts), latest(shifts.toReversed()).reverse()];
  }

  private ofOld(n: number): Shift | null {
    const texts = this.single(n);
    return texts && even([[indent(texts[0]), indent(texts[1])]]);
  }
}
