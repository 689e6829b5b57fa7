/** Texts, lines, whitespace, the fold and keys: sections 1 and 2 of the specification. */

const MAY_BE_LONG_RUN = /\p{M}{31,}/u;
let longRuns: RegExp | undefined;
const ALIKE: readonly (readonly [string, string])[] = [
  ["'", "\u2018\u2019\u201a\u201b\u2032\u02bc"],
  ['"', "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"],
  ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"],
  [" ", "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"],
  ["...", "\u2026"],
  ["", "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"],
];
const FOLDED = new Map<string, string>();
for (const [plain, others] of ALIKE) for (const other of others) FOLDED.set(other, plain);
for (let code = 0xff01; code <= 0xff5e; code++) {
  const other = String.fromCharCode(code);
  if (!FOLDED.has(other)) FOLDED.set(other, String.fromCharCode(code - 0xfee0));
}
const FOLDABLE = new RegExp(`[${[...FOLDED.keys()].join("")}]`, "g");
const BEYOND_ASCII = /[^\x00-\x7f]/;

/** Wide whitespace without U+FEFF, as a class of characters in a regular expression. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** A word character, as a class of characters in a regular expression. */
export const WORD = "\\p{L}\\p{N}_";
const WIDE = new RegExp(`[${SPACE}\\ufeff]+`, "g");
const ONE_SPACE = new RegExp(`[${SPACE}]`);
const NO_SPACE = new RegExp(`[^${SPACE}]`);
const ALNUM = /[\p{L}\p{N}]/gu;
const HAS_ALNUM = /[\p{L}\p{N}]/u;

export const isAscii = (text: string): boolean => !BEYOND_ASCII.test(text);
export const trim = (text: string): string => text.trim();
export const trimEnd = (text: string): string => text.trimEnd();
/** The whitespace at the start of a line. */
export const indent = (line: string): string => line.slice(0, line.length - line.trimStart().length);
/** The whitespace at the end of a line. */
export const tail = (line: string): string => line.slice(line.trimEnd().length);
/** The text without wide whitespace at its ends, but for U+FEFF. */
export function stripped(text: string): string {
  return strippedEnd(strippedStart(text));
}
export function strippedStart(text: string): string {
  let start = 0;
  while (start < text.length && ONE_SPACE.test(text[start]!)) start++;
  return text.slice(start);
}
export const strippedEnd = (text: string): string => withoutEnd(text, ONE_SPACE);
export const isBlank = (text: string): boolean => !NO_SPACE.test(text);
/** The text without these characters at its ends. */
export function strip(text: string, characters: string): string {
  let [start, end] = [0, text.length];
  while (start < end && characters.includes(text[start]!)) start++;
  while (end > start && characters.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
export const withoutCr = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
/** The number of first items that match. */
export function nFirst<T>(some: readonly T[], matches: (one: T) => boolean): number {
  const n = some.findIndex((one) => !matches(one));
  return n < 0 ? some.length : n;
}
export const beginsWith = (line: string, starts: readonly string[]): boolean => starts.some((one) => line.startsWith(one));
/** The text without the characters at its end that match. The pattern `+$` would try each run in the text again. */
export function withoutEnd(text: string, one: RegExp): string {
  let end = text.length;
  while (end > 0 && one.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
export const hasAlnum = (text: string): boolean => HAS_ALNUM.test(text);
export const countAlnum = (text: string): number => text.match(ALNUM)?.length ?? 0;
/** The first code points of a text. */
export const head = (text: string, n: number): string =>
  text.length <= n ? text : Array.from(text.slice(0, 2 * n)).slice(0, n).join("");
export const nCodePoints = (text: string): number => (isAscii(text) ? text.length : Array.from(text).length);

/** The text with one character for all that look alike, and none for those that cannot be seen. */
export function folded(text: string): string {
  if (isAscii(text)) return text;
  const plain = text.replace(FOLDABLE, (one) => FOLDED.get(one) ?? one);
  if (!MAY_BE_LONG_RUN.test(plain)) return plain.normalize("NFC");
  return plain.split((longRuns ??= runsOfCombining())).map((one, n) => (n % 2 ? one : one.normalize("NFC"))).join("");
}

/** Runs of 31 or more characters with a combining class other than 0, which only reordering shows in this language. */
function runsOfCombining(): RegExp {
  const found: string[] = [];
  for (let code = 0x300; code < 0x1f000; code++) {
    const one = String.fromCodePoint(code);
    if (one === "\u0345" || !`\u0345${one}`.normalize("NFD").startsWith("\u0345")) found.push(one);
  }
  return new RegExp(`([${found.join("")}]{31,})`, "u");
}

export const squeezed = (text: string): string => folded(text).replace(WIDE, "");

/** What lines are compared by. */
export type Key = "RIGHT_TRIMMED" | "BODY" | "FOLDED" | "SQUEEZED";

export function keyOf(line: string, key: Key): string {
  if (key === "RIGHT_TRIMMED") return trimEnd(line);
  if (key === "BODY") return trim(line);
  return key === "FOLDED" ? trim(folded(line)) : squeezed(line);
}

/** A text by its solid lines, those that are not blank; found on first use. */
export class Lines {
  private readonly known = new Map<Key, string[]>();
  private tables?: { readonly all: string[]; readonly at: number[]; readonly solid: string[] };
  private starting?: string[];

  constructor(readonly text: string) {}

  get all(): string[] {
    return (this.tables ??= tablesOf(this.text)).all;
  }

  /** The indices in `all` of the solid lines. */
  get at(): number[] {
    return (this.tables ??= tablesOf(this.text)).at;
  }

  get solid(): string[] {
    return (this.tables ??= tablesOf(this.text)).solid;
  }

  get indents(): string[] {
    return (this.starting ??= this.solid.map(indent));
  }

  keys(key: Key): string[] {
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = this.solid.map((line) => keyOf(line, key))));
    return found;
  }

  /** The blank lines directly above solid line `n`; those at the end for `n` = the number of solid lines. */
  blankAbove(n: number): string[] {
    const first = n > 0 ? this.at[n - 1]! + 1 : 0;
    return n < this.at.length ? this.all.slice(first, this.at[n]!) : this.all.slice(first);
  }
}

function tablesOf(text: string): { all: string[]; at: number[]; solid: string[] } {
  const all = text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const at: number[] = [];
  all.forEach((line, n) => trim(line) !== "" && at.push(n));
  return { all, at, solid: at.map((n) => all[n]!) };
}

/**
 * Every place of a text in another, overlapping ones too, ascending.
 *
 * Linear in both: one that repeats itself would else be compared whole at each of its places.
 */
export function* placesOf(text: string, piece: string): Generator<number> {
  const size = piece.length;
  let period = piece.indexOf(piece.slice(0, size - Math.floor(size / 4)), 1);
  // Without such a period, its places are a quarter of it apart, or more.
  if (period < 0 || !piece.startsWith(piece.slice(period))) period = 0;
  const turn = piece.slice(size - period);
  for (let at = text.indexOf(piece); at >= 0; ) {
    yield at;
    if (period > 0 && text.startsWith(turn, at + size)) at += period;
    else at = text.indexOf(piece, at + (period > 0 ? size - period : 0) + 1);
  }
}

/** The first of these places, at most `most`. */
export function occurrences(text: string, piece: string, most: number): number[] {
  const found: number[] = [];
  for (const at of placesOf(text, piece)) if (found.push(at) === most) break;
  return found;
}

/** The places of a text in another that do not overlap. */
export function apart(text: string, piece: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) found.push(at);
  return found;
}

/** Where the line with an offset begins. */
export const lineStart = (text: string, at: number): number => (at > 0 ? text.lastIndexOf("\n", at - 1) + 1 : 0);

export const count = (text: string, piece: string, end = text.length): number => {
  let n = 0;
  for (let at = text.indexOf(piece); at >= 0 && at < end; at = text.indexOf(piece, at + piece.length)) n++;
  return n;
};

export function stripFeeds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "\n") start++;
  while (end > start && text[end - 1] === "\n") end--;
  return text.slice(start, end);
}

/** The first of the shortest strings. */
export const shortest = (some: readonly string[]): string =>
  some.reduce((least, one) => (one.length < least.length ? one : least));
