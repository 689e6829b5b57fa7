/**
 * Anchors of hunks, the texts after `@@`: the lines that match an anchor, and the blocks that these lines begin.
 *
 *     anchor      its block ends above
 *     def f():    the next line that begins with a word and is not indented deeper
 *     [b]         the next such line with the same mark, here a section of TOML; also `- b` and `.b {`
 *     # Two       the next heading that has no more marks
 */

import { type LineIndex, bisect } from "../../line_index.js";
import { indent, trim } from "../../text.js";

const MAX_LINES = 100;
/** First characters of sections, headings, items and rules of style sheets. Each ends at the next of its kind. */
const MARKS = ["[", "#", "-", "*", "."];
const MOST_LEVELS = 8;
const MOST_BESIDE = 100;
const LETTER_LAST = /[\p{L}\p{N}]$/u;
const WORD_FIRST = /^[\p{L}\p{N}_]/u;

export class Anchors {
  private readonly like = new Map<string, readonly number[]>();
  private ends: readonly number[] | null = null;
  private sorted: (readonly [text: string, line: number])[] | null = null;

  constructor(private readonly seeker: LineIndex) {}

  /**
   * The 0-based lines that match the last anchor, inside the blocks of the anchors before it, else below them. None if
   * there are too many to be a hint.
   */
  lines(anchors: readonly string[]): readonly number[] {
    let outer: readonly number[] = [];
    for (const [number, anchor] of anchors.entries()) {
      let found = this.linesLike(anchor);
      if (number > 0) {
        if (outer.length === 0) return [];
        const inside = this.inside(found, outer, 0);
        found = inside.length > 0 ? inside : found.slice(bisect(found, outer[0]!, true));
      }
      outer = found.length <= MAX_LINES ? found : [];
    }
    return outer;
  }

  /**
   * The ascending places of `nLines` lines that overlap a block of the last anchor. If none does and one line matches
   * the anchor, the only place below it, in the file or in the block around the anchor.
   */
  placesWithin(anchors: readonly string[], places: readonly number[], nLines: number): readonly number[] {
    const lines = this.lines(anchors);
    const found = this.inside(places, lines, nLines);
    return found.length > 0 || lines.length !== 1 ? found : this.beside(lines[0]!, places);
  }

  /** The only place that is below `line`, and in no other block than the one around it. */
  private beside(line: number, places: readonly number[]): number[] {
    const [first, other] = places.slice(bisect(places, line, true));
    if (first === undefined) return [];
    if (other === undefined) return [first];
    const { lines } = this.seeker;
    const width = indent(lines[line]!).length;
    const last = Math.min(other, line + MOST_BESIDE - 1);
    for (let at = line + 1; at <= last; at++) {
      if (trim(lines[at]!) !== "" && indent(lines[at]!).length < width) return first < at ? [first] : [];
    }
    return [];
  }

  private inside(places: readonly number[], anchors: readonly number[], nLines: number): number[] {
    const found: number[] = [];
    let done = 0;
    for (const start of anchors) {
      const first = Math.max(bisect(places, start + 1 - nLines), done);
      const end = bisect(places, (this.ends ??= scopeEnds(this.seeker.lines))[start]!);
      if (first >= end) continue;
      for (let n = first; n < end; n++) found.push(places[n]!);
      done = end;
    }
    return found;
  }

  /** The lines equal to the anchor, else the lines that begin with it, up to the end of a word. */
  private linesLike(anchor: string): readonly number[] {
    let found = this.like.get(anchor);
    if (found === undefined) {
      // In a file of mixed endings, a reader does not see which of two lines has a carriage return.
      const first = this.seeker.mixesLineEndings ? "line_endings" : "exact";
      const equal = ([first, "trimmed", "folded"] as const).map((one) => this.seeker.places([anchor], one));
      found = equal.find((some) => some.length > 0) ?? this.beginningWith(trim(anchor));
      this.like.set(anchor, found);
    }
    return found;
  }

  private beginningWith(start: string): number[] {
    const isWord = LETTER_LAST.test(start);
    const found: number[] = [];
    for (const [text, line] of start === "" ? [] : this.candidates(start)) {
      if (!isWord || !WORD_FIRST.test(text.slice(start.length))) found.push(line);
    }
    return found.sort((one, other) => one - other);
  }

  /** The trimmed lines that begin with a text, and their indices. */
  private *candidates(start: string): Generator<readonly [string, number]> {
    const table = (this.sorted ??= this.seeker.lines
      .map((text, line) => [trim(text), line] as const)
      .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
    let low = 0;
    for (let high = table.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (table[middle]![0] < start) low = middle + 1;
      else high = middle;
    }
    for (; low < table.length && table[low]![0].startsWith(start); low++) yield table[low]!;
  }
}

interface Head {
  /** `word`, one of the marks, or "" for a line that begins no block. */
  readonly kind: string;
  readonly width: number;
  /** The indentation; for headings, their level, too. */
  readonly depth: number;
}

function headOf(line: string): Head {
  const [text, width] = [line.trimStart(), indent(line).length];
  const level = Math.min(/^#*/.exec(text)![0].length, MOST_LEVELS - 1);
  const kind = WORD_FIRST.test(text) || text[0] === "@" ? "word" : MARKS.includes(text[0]!) ? text[0]! : "";
  return { kind, width, depth: width * MOST_LEVELS + level };
}

/** The end of the block that each line begins: the next line of its kind that is not deeper, or the file's end. */
function scopeEnds(lines: readonly string[]): number[] {
  const found = new Array<number>(lines.length).fill(lines.length);
  // For each kind, candidates below, nearest last: without one above them that is no deeper. And how deep they are.
  const below = new Map(["word", ...MARKS].map((kind) => [kind, { at: [] as number[], deep: [] as number[] }]));
  const words = below.get("word")!;
  for (let line = lines.length - 1; line >= 0; line--) {
    const { kind, width, depth } = headOf(lines[line]!);
    const n = bisect(words.deep, width * MOST_LEVELS, kind === "" || kind === "word");
    if (n > 0) found[line] = words.at[n - 1]!;
    const mine = below.get(kind);
    if (mine === undefined) continue;
    const nEqual = bisect(mine.deep, depth, true);
    if (nEqual > 0) found[line] = Math.min(found[line]!, mine.at[nEqual - 1]!);
    const nLess = bisect(mine.deep, depth);
    mine.at.splice(nLess, Infinity, line);
    mine.deep.splice(nLess, Infinity, depth);
  }
  return found;
}
