/**
 * The place of a hunk that matches nowhere as a block, found line by line. Only context is mended; in doubt, there is none.
 *
 *     hunk  | def f():         file  |def f():        read as  | def f():
 *           |-    return 1           |    # why               |     # why        a line that the hunk leaves out
 *           |+    return 2           |    return 1            |-    return 1
 *           | def gg():              |def g():                |+    return 2
 *                                                             | def g():         a line that is misspelt
 *
 * Each line that the file has votes for the line at which the hunk would begin. At the best place, lines are paired, and
 * each stretch between two pairs is judged by itself. editcore/patches/placing/alignment.py says why.
 */

import { FACTS } from "../../drift.js";
import { type LineIndex, bisect } from "../../line_index.js";
import { type Pair, lcsPairs, ratio } from "../../sequences.js";
import { SPACE, WORD, indent, nCodePoints, trim } from "../../text.js";
import { type Hunk, newOf, oldOf } from "../../types.js";
import { unescaped } from "../entities.js";

export const EQUALITY = "right_trimmed";
const TOKEN = new RegExp(`[${WORD}]+|[^${WORD}${SPACE}]`, "gu");
const COMMENT = /^(?:#|\/\/|--|\*|\/\*|"""|<!--|;)/;
const BEGINS_WITH_LETTER = /^[\p{L}\p{N}]/u;
const DOTS = /^(?:#|\/\/|--|\/\*|<!--|;|%)?[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*(?:\.\.\.|…)[^"']{0,60}$/;
const MOST_WORDS = 2;
const ALIKE_WORDS = 0.6;
const ALIKE_COMMENTS = 0.7;
const LONGEST = 500;
const MOST_LINES = 2_000;
const MOST_SPOTS = 50;
const SLACK = 60;
const MOST_LEFT_OUT = 3;
const LEAST_EQUAL = 3;
const LEAST_UNIQUE = 2;
const MARGIN = 2;
const MOST_MISSPELT = 2;
const MOST_OUTER = 2;
const LEAST_INNER = 5;
/** A line that the file lacks. It equals nothing. */
const NONE = -1;

/** A hunk as the file has it, and its 0-based line. */
export interface Aligned {
  readonly hunk: Hunk;
  readonly line: number;
}
/** Lines `first` to `end - 1`. */
type Stretch = readonly [first: number, end: number];
const linesIn = ([first, end]: Stretch): number[] => Array.from({ length: end - first }, (_, k) => first + k);

/** Whether a line differs from the file's in the spelling of a word or two, or in the words of a comment. */
export function isMisspelt(written: string, line: string): boolean {
  const [one, other] = [trim(written), trim(line)];
  if (one === "" || other === "" || Math.max(nCodePoints(one), nCodePoints(other)) > LONGEST) return false;
  const facts = (text: string): string => (text.toLowerCase().match(FACTS) ?? []).join(" ");
  if (facts(one) !== facts(other)) return false;
  if (COMMENT.test(one) && COMMENT.test(other)) return ratio(one, other) >= ALIKE_COMMENTS;
  const [ours, theirs] = [one.match(TOKEN) ?? [], other.match(TOKEN) ?? []];
  const pairs = ours.flatMap((mine, n) => (mine === theirs[n] ? [] : [[mine, theirs[n]!] as const]));
  const isWord = (text: string): boolean => BEGINS_WITH_LETTER.test(text);
  return (
    ours.length === theirs.length && pairs.length <= MOST_WORDS &&
    pairs.every(([mine, there]) => isWord(mine) && isWord(there) && ratio(mine, there) >= ALIKE_WORDS)
  );
}

/** The hunk with the file's own lines at its only place; null if any doubt is left. */
export function aligned(seeker: LineIndex, hunk: Hunk): Aligned | null {
  const old = oldOf(hunk);
  if (old.length < 2 || old.length > MOST_LINES) return null;
  const symbols = seeker.symbols(old, EQUALITY).map((one) => one ?? NONE);
  // A removed line that the file lacks is never guessed.
  if (oldLines(hunk).some((line, n) => line[0] === "-" && symbols[n] === NONE)) return null;
  const start = mostVotes(seeker, old, symbols);
  if (start === null) return null;
  const first = Math.max(start - SLACK, 0);
  const window = seeker.row(EQUALITY).slice(first, start + old.length + SLACK);
  const counts = new Map<number, number>();
  for (const one of window) counts.set(one, (counts.get(one) ?? 0) + 1);
  const mine = symbols.map((one) => (counts.has(one) ? one : NONE));
  const pairs = closedUp(lcsPairs(mine, window), mine, window);
  if (pairs.filter(([ours]) => counts.get(mine[ours]!) === 1).length < LEAST_UNIQUE) return null;
  return new Reading(seeker, hunk, old, pairs.map(([ours, theirs]) => [ours, theirs + first])).read();
}

const oldLines = (hunk: Hunk): string[] => hunk.lines.filter((line) => line[0] !== "+");

/** The 0-based line with the most votes; null if another one is nearly as good. */
function mostVotes(seeker: LineIndex, old: readonly string[], symbols: readonly number[]): number | null {
  /** Line at which the hunk would begin -> number of its lines that vote for it. */
  const votes = new Map<number, number>();
  old.forEach((line, n) => {
    const spots = symbols[n] !== NONE && trim(line) !== "" ? seeker.spots(symbols[n]!, EQUALITY) : [];
    // A line as common as a bracket would vote for every place.
    if (spots.length <= MOST_SPOTS) for (const spot of spots) votes.set(spot - n, (votes.get(spot - n) ?? 0) + 1);
  });
  if (votes.size === 0) return null;
  // A line left out shifts the lines below it: the votes for nearby lines are for one place.
  const starts = [...votes.keys()].sort((one, other) => one - other);
  const totals = starts.map((start) => ({ start, total: near(votes, starts, start), own: votes.get(start)! }));
  const best = totals.reduce((most, one) =>
    one.total > most.total || (one.total === most.total && one.own > most.own) ? one : most,
  );
  // Starts closer than the hunk is long are one place, seen through lines left out: they are no rivals.
  const others = totals.filter(({ start }) => Math.abs(start - best.start) >= old.length);
  const second = others.reduce((most, one) => Math.max(most, one.total), 0);
  return best.total - second >= MARGIN ? best.start : null;
}

function near(votes: ReadonlyMap<number, number>, starts: readonly number[], start: number): number {
  let total = 0;
  for (let n = bisect(starts, start - MOST_LEFT_OUT); n < starts.length && starts[n]! <= start + MOST_LEFT_OUT; n++) {
    total += votes.get(starts[n]!)!;
  }
  return total;
}

/** The pairs, moved next to the longest run of pairs where the lines beside it are equal too. */
function closedUp(given: readonly Pair[], mine: readonly number[], window: readonly number[]): Pair[] {
  const pairs = [...given];
  const runs = pairs.flatMap(([one, other], n) => {
    const above = pairs[n - 1];
    return n > 0 && one - above![0] === 1 && other - above![1] === 1 ? [] : [n];
  });
  let longest: Stretch = [0, 0];
  runs.forEach((first, n) => {
    const end = runs[n + 1] ?? pairs.length;
    if (end - first > longest[1] - longest[0]) longest = [first, end];
  });
  for (let n = longest[0] - 1; n >= 0; n--) {
    const [ours, below] = [pairs[n]![0], pairs[n + 1]!];
    const theirs = below[1] - below[0] + ours;
    if (theirs >= 0 && window[theirs] === mine[ours]) pairs[n] = [ours, theirs];
  }
  for (let n = longest[1]; n < pairs.length; n++) {
    const [ours, above] = [pairs[n]![0], pairs[n - 1]!];
    const theirs = above[1] - above[0] + ours;
    if (theirs < window.length && window[theirs] === mine[ours]) pairs[n] = [ours, theirs];
  }
  return pairs;
}

/** A hunk beside the lines of the file that stand for its own, and how it is then read. */
class Reading {
  /** For each old line, its index among the lines of the hunk. */
  private readonly at: readonly number[];
  private readonly equal: ReadonlyMap<number, number>;
  private readonly added: ReadonlySet<string>;
  private readonly nShown: number;
  private readonly nNew: number;
  /** Index of a line of the hunk -> how it is read; null if it is dropped. */
  private readonly lines = new Map<number, string | null>();
  /** Index of a line of the hunk -> lines of the file that the hunk leaves out above it. */
  private readonly leftOut = new Map<number, Stretch>();
  private nMended = 0;
  private nBlank = 0;
  private nMisspelt = 0;

  constructor(
    private readonly seeker: LineIndex, private readonly hunk: Hunk, private readonly old: readonly string[],
    private readonly pairs: readonly Pair[],
  ) {
    this.at = hunk.lines.flatMap((line, n) => (line[0] === "+" ? [] : [n]));
    this.equal = new Map(pairs);
    this.nShown = pairs.filter(([ours]) => trim(old[ours]!) !== "").length;
    this.nNew = newOf(hunk).length;
    this.added = new Set(hunk.lines.filter((line) => line[0] === "+").map((line) => trim(line.slice(1))));
  }

  read(): Aligned | null {
    const { hunk, seeker } = this;
    if (oldLines(hunk).some((line, n) => line[0] === "-" && !this.equal.has(n))) return null;
    const [first, last] = [this.pairs[0]!, this.pairs.at(-1)!];
    // Outer lines that differ stand for as many of the file.
    const start = first[1] - first[0];
    const end = last[1] + this.old.length - last[0];
    if (start < 0 || end > seeker.lines.length || !this.areForgiven(start, end)) return null;
    // Blank lines change no meaning: a difference in nothing else needs no further proof.
    if (this.nMended > this.nBlank && this.nShown < LEAST_EQUAL) return null;
    const lines = hunk.lines.flatMap((line, n) => {
      const out = this.leftOut.get(n);
      const above = out === undefined ? [] : seeker.lines.slice(...out).map((there) => ` ${there}`);
      const text = this.lines.has(n) ? this.lines.get(n)! : line;
      return text === null ? above : [...above, text];
    });
    const read = { ...hunk, lines };
    // The proof of the reading: it is a block of the file. If nothing was mended, nothing is gained.
    return this.nMended > 0 && seeker.matchesAt(oldOf(read), EQUALITY, start) ? { hunk: read, line: start } : null;
  }

  /** Whether the difference of each stretch between two pairs is forgiven. */
  private areForgiven(start: number, end: number): boolean {
    let [ours, theirs] = [-1, start - 1];
    for (const [ourNext, theirNext] of [...this.pairs, [this.old.length, end] as const]) {
      const [mine, there]: [Stretch, Stretch] = [[ours + 1, ourNext], [theirs + 1, theirNext]];
      if ((ours + 1 < ourNext || theirs + 1 < theirNext) && !this.isForgiven(mine, there)) return false;
      [ours, theirs] = [ourNext, theirNext];
    }
    return true;
  }

  private isForgiven(mine: Stretch, there: Stretch): boolean {
    const [ours, theirs] = [linesIn(mine), linesIn(there)];
    const isKnown = (line: number): boolean => trim(this.seeker.lines[line]!) !== "" && this.added.has(trim(this.seeker.lines[line]!));
    if (theirs.some(isKnown)) return false; // What is added may be there already.
    const dots = ours.filter((n) => DOTS.test(trim(this.old[n]!)));
    if (dots.length > 0) return this.areElided(mine, there, dots.length);
    if (ours.length === 0) return this.areLeftOut(mine[0], there);
    if (theirs.length === 0) return this.lostTheirPlus(ours);
    // Of unequal stretches, nobody knows which line stands for which.
    if (ours.length !== theirs.length || ours.some((n, k) => this.isEscaped(n, theirs[k]!))) return false;
    const isOtherwise = (n: number, k: number): boolean => indent(this.old[n]!) !== indent(this.seeker.lines[theirs[k]!]!);
    if (this.added.size > 0 && !this.showsDepth() && ours.some(isOtherwise)) {
      return false; // The added lines may be indented as these lines, and not as the file.
    }
    return ours.every((n, k) => this.isMisspelt(n, theirs[k]!)) || this.isOuter(ours, theirs);
  }

  private mended(isBlank = false): true {
    this.nMended++;
    if (isBlank) this.nBlank++;
    return true;
  }

  /** Whether an indented line of the hunk is as in the file. */
  private showsDepth(): boolean {
    return [...this.equal.keys()].some((n) => indent(this.old[n]!) !== "" && trim(this.old[n]!) !== "");
  }

  /** Whether the line is the file's in HTML entities. New lines then have them, too: see `withoutEntities`. */
  private isEscaped(mine: number, there: number): boolean {
    const plain = unescaped(this.old[mine]!);
    return plain !== this.old[mine] && trim(plain) === trim(this.seeker.lines[there]!);
  }

  /** Whether the first or last lines of a long hunk differ, beyond equal context, as GNU patch allows it. */
  private isOuter(mine: readonly number[], there: readonly number[]): boolean {
    const { lines, closed } = this.hunk;
    const [first, end] = [mine[0]!, mine.at(-1)! + 1];
    const inner = first === 0 ? end : first - 1;
    const isAtEnd = first === 0 || (end === this.old.length && closed);
    const isLong = mine.length <= MOST_OUTER && this.nShown >= LEAST_INNER && lines.some((line) => line[0] === "-");
    if (!isAtEnd || !isLong || !this.equal.has(inner)) return false;
    if ([...mine, inner].some((n) => lines[this.at[n]!]![0] !== " ")) return false;
    if (Math.abs(this.at[inner]! - this.at[first]!) > mine.length) return false;
    mine.forEach((n, k) => this.lines.set(this.at[n]!, ` ${this.seeker.lines[there[k]!]}`));
    return this.mended();
  }

  /** Whether the hunk may leave out these lines of the file above its old line `below`. */
  private areLeftOut(below: number, there: Stretch): boolean {
    if (below <= 0 || below >= this.old.length) return false;
    const n = there[1] - there[0];
    const isBlank = linesIn(there).every((line) => trim(this.seeker.lines[line]!) === "");
    const [{ lines }, top, bottom] = [this.hunk, this.at[below - 1]!, this.at[below]!];
    const marks = [lines[top]![0]!, lines[bottom]![0]!];
    let isCertain: boolean;
    if (marks.join("") === "  " && bottom === top + 1) isCertain = isBlank || n <= MOST_LEFT_OUT || n === this.nCounted();
    else {
      // Beside a change, lines that the counts do not include may be forgotten lines of the change. Lines added below a
      // removed one belong there, but those below context may belong above or below what is left out.
      const isRemoved = [" -", "- "].includes(marks.join("")) && (bottom === top + 1 || marks[0] === "-");
      isCertain = isRemoved && (isBlank || n === this.nCounted());
    }
    if (!isCertain || this.mayBeElsewhere(below, there)) return false;
    this.leftOut.set(bottom, there);
    return this.mended(isBlank);
  }

  /** Whether the hunk may as well leave out lines above another of its old lines, on the other side of added ones. */
  private mayBeElsewhere(below: number, [start, stop]: Stretch): boolean {
    const row = this.seeker.row(EQUALITY);
    const [size, spots] = [stop - start, [below]];
    for (let [n, line] = [below, stop]; line < row.length; n++, line++) {
      if (this.equal.get(n) !== line || row[line] !== row[line - size]) break;
      spots.push(n + 1);
    }
    for (let [n, line] = [below - 1, start - 1]; n >= 0 && line >= 0; n--, line--) {
      if (this.equal.get(n) !== line || row[line] !== row[line + size]) break;
      spots.push(n);
    }
    const ends = [-1, ...this.at, this.hunk.lines.length];
    return spots.length > 1 && spots.some((n) => ends[n + 1]! - ends[n]! > 1);
  }

  /** The number of lines that the header counts and the hunk lacks; -1 if its two counts disagree. */
  private nCounted(): number {
    const { sourceLength, targetLength } = this.hunk;
    if (sourceLength === null || targetLength === null) return -1;
    const more = sourceLength - this.old.length;
    return more === targetLength - this.nNew ? more : -1;
  }

  private areElided([first, end]: Stretch, there: Stretch, nDots: number): boolean {
    const { lines } = this.hunk;
    if (nDots !== end - first || there[0] === there[1] || first === 0 || end >= this.old.length) return false;
    const [top, bottom] = [this.at[first]!, this.at[end - 1]!];
    // Lines added below a removed one replace it; elsewhere, what they are added to may be among what is elided.
    const markAbove = lines[this.at[first - 1]!]![0] === "-" ? "-" : lines[top - 1]![0]!;
    const around = markAbove + lines[bottom + 1]![0]!;
    const isRun = bottom - top === nDots - 1;
    if (!isRun || around.includes("+") || around === "--" || !this.equal.has(first - 1) || !this.equal.has(end)) return false;
    for (const n of linesIn([first, end])) this.lines.set(this.at[n]!, null);
    this.leftOut.set(top, there);
    return this.mended();
  }

  /** Whether context lines that the file lacks are added ones: added lines are around them, or counts say so. */
  private lostTheirPlus(mine: readonly number[]): boolean {
    const [{ lines }, indexes] = [this.hunk, mine.map((n) => this.at[n]!)];
    const [first, last] = [indexes[0]!, indexes.at(-1)!];
    const texts = mine.map((n) => this.old[n]!);
    if (last - first !== mine.length - 1 || this.seeker.symbols(texts, EQUALITY).some((one) => one !== undefined)) return false;
    const isAmong = lines[first - 1]?.[0] === "+" && lines[last + 1]?.[0] === "+";
    if (!isAmong && !this.countsSay(this.old.length - this.equal.size)) return false;
    const others = [...[...this.equal.keys()].map((n) => this.old[n]!), ...lines.filter((line) => line[0] === "+").map((line) => line.slice(1))];
    const shown = new Set(others.filter((text) => trim(text) !== "").map(indent));
    for (const n of indexes) {
      // A line that had only a plus sign in front lost the first space of its indentation to the mark of context.
      const read = [lines[n]!.slice(1), ` ${lines[n]!.slice(1)}`].filter((text) => shown.has(indent(text)));
      if (read.length !== 1) return false;
      this.lines.set(n, `+${read[0]}`);
    }
    return this.mended();
  }

  /** Whether the header counts as many new lines as the hunk has, and `n` old lines fewer. */
  private countsSay(n: number): boolean {
    return this.hunk.sourceLength === this.old.length - n && this.hunk.targetLength === this.nNew;
  }

  /** Whether a context line is the file's but for a word or two. */
  private isMisspelt(mine: number, there: number): boolean {
    const line = this.seeker.lines[there]!;
    this.nMisspelt++;
    if (this.nMisspelt > MOST_MISSPELT || !isMisspelt(this.old[mine]!, line) || this.isBesideInsertion(mine)) return false;
    if (mine === this.old.length - 1 && !this.hunk.closed) return false; // The patch may have been cut off within it.
    this.lines.set(this.at[mine]!, ` ${line}`);
    return this.mended();
  }

  /** Whether lines are added next to an old line, and the line beyond them is not an equal one. */
  private isBesideInsertion(mine: number): boolean {
    const [{ lines }, at] = [this.hunk, this.at[mine]!];
    return [-1, 1].some((step) => {
      let n = at + step;
      if (lines[n]?.[0] !== "+") return false;
      while (lines[n]?.[0] === "+") n += step;
      return lines[n] === undefined || !this.equal.has(mine + step);
    });
  }
}
