/** One index of the lines of a file: where blocks of lines that follow each other are, by several equalities. */

import { windows } from "./placing.js";
import { isAscii, withoutCr, withoutEnd } from "./text.js";
import { PatchError } from "./types.js";

const MAX_DISTINCT = 1_114_111;
const MAX_REMEMBERED = 1_000_000;
const SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const PUNCTUATION: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u2018-\u201b]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\xa0\u2002-\u200a\u202f\u205f\u3000]/g, " "],
];

/** The line without whitespace at its end, as Rust and Codex have it. */
export const rightTrimmed = (line: string): string => withoutEnd(line, SPACE);
export function trimmed(line: string): string {
  let start = 0;
  while (start < line.length && SPACE.test(line[start]!)) start++;
  return rightTrimmed(line.slice(start));
}
/** The trimmed line, with typographic dashes, quotes and spaces as ASCII. */
function folded(line: string): string {
  const text = trimmed(line);
  return isAscii(text) ? text : PUNCTUATION.reduce((one, [others, plain]) => one.replace(others, plain), text);
}

/** Name -> the part of a line that is compared; the strictest first. */
const EQUALITIES = {
  exact: (line: string): string => line,
  line_endings: withoutCr,
  right_trimmed: rightTrimmed,
  trimmed,
  folded,
};
export type Equality = keyof typeof EQUALITIES;

/** The first index of an ascending list whose item is not below a value, or is above it. */
export function bisect(some: readonly number[], value: number, isRight = false): number {
  let low = 0;
  for (let high = some.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (some[middle]! < value || (isRight && some[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Table {
  /** Compared part of a line -> its symbol; equal lines have the same one. */
  readonly symbols: ReadonlyMap<string, number>;
  /** The file as one symbol per line. */
  readonly row: readonly number[];
  /** Symbol -> its lines, ascending. */
  readonly spots: readonly (readonly number[])[];
}

export class LineIndex {
  private readonly tables = new Map<Equality, Table>();
  private readonly found = new Map<string, readonly number[]>();
  private nFound = 0;
  private mixed?: boolean;

  constructor(readonly lines: readonly string[]) {}

  /** Whether some lines end in CRLF and others in LF. */
  get mixesLineEndings(): boolean {
    if (this.mixed === undefined) {
      const n = this.lines.filter((line) => line.endsWith("\r")).length;
      this.mixed = 0 < n && n < this.lines.length;
    }
    return this.mixed;
  }

  row(equality: Equality): readonly number[] {
    return this.table(equality).row;
  }

  /** The symbol of each line; undefined for a line that the file lacks. */
  symbols(block: readonly string[], equality: Equality): (number | undefined)[] {
    const { symbols } = this.table(equality);
    return block.map((line) => symbols.get(EQUALITIES[equality](line)));
  }

  /** The 0-based lines with a symbol, ascending. */
  spots(symbol: number, equality: Equality): readonly number[] {
    return this.table(equality).spots[symbol]!;
  }

  /** The first `most` 0-based lines at which the block matches, ascending; they may overlap. */
  places(block: readonly string[], equality: Equality, most = Infinity): readonly number[] {
    const needle = this.symbols(block, equality);
    if (needle.length === 0) return Array.from({ length: Math.min(this.lines.length + 1, most) }, (_, n) => n);
    if (needle.includes(undefined)) return [];
    const key = `${equality} ${most} ${needle.join()}`;
    let found = this.found.get(key);
    if (found === undefined) {
      if (this.nFound > MAX_REMEMBERED) {
        this.found.clear();
        this.nFound = 0;
      }
      this.found.set(key, (found = this.search(needle as number[], equality, most)));
      this.nFound += found.length;
    }
    return found;
  }

  matchesAt(block: readonly string[], equality: Equality, line: number): boolean {
    if (line < 0 || line + block.length > this.lines.length) return false;
    const key = EQUALITIES[equality];
    return block.every((one, n) => one === this.lines[line + n] || key(one) === key(this.lines[line + n]!));
  }

  /** By the places of the block's rarest line, unless a search of the whole row costs less. */
  private search(needle: readonly number[], equality: Equality, most: number): number[] {
    const { row, spots } = this.table(equality);
    let offset = 0;
    needle.forEach((one, n) => spots[one]!.length < spots[needle[offset]!]!.length && (offset = n));
    const rarest = spots[needle[offset]!]!;
    if (rarest.length * needle.length > row.length) return windows(row, needle, most);
    const found: number[] = [];
    for (const at of rarest) {
      if (needle.every((one, n) => row[at - offset + n] === one) && found.push(at - offset) === most) break;
    }
    return found;
  }

  private table(equality: Equality): Table {
    let table = this.tables.get(equality);
    if (table === undefined) {
      const [symbols, spots] = [new Map<string, number>(), [] as number[][]];
      const row = this.lines.map((line, n) => {
        const key = EQUALITIES[equality](line);
        let symbol = symbols.get(key);
        if (symbol === undefined) {
          symbols.set(key, (symbol = symbols.size));
          spots.push([]);
        }
        spots[symbol]!.push(n);
        return symbol;
      });
      if (symbols.size > MAX_DISTINCT) {
        throw new PatchError(`the file has more than ${MAX_DISTINCT} different lines.`, null, "too_large");
      }
      this.tables.set(equality, (table = { symbols, row, spots }));
    }
    return table;
  }
}
