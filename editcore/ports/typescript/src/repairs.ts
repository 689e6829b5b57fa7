/** What was done to all of a search text is undone, and the rest is looked for: escapes, pasted, elision (section 10). */

import { type Shift, even, shifted } from "./frame.js";
import { standsLiterally } from "./made_before.js";
import { alreadyThere, inWholeLines, several, windows } from "./placing.js";
import type { Result } from "./types.js";
import type { Query } from "./query.js";
import { type Lines, SPACE, WORD, indent, lineStart, nCodePoints, squeezed, stripped, trim } from "./text.js";

const SHORTEST_PIECE = 8;

function applyRepaired(query: Query, old: string, put: string, tier: string, wholeLines = false): Result | null {
  if (old === query.old.text || stripped(old) === "" || query.all || old === put) return null;
  return applyStricter(query.repaired(old, put), tier, wholeLines);
}

function applyStricter(query: Query, tier: string, wholeLines: boolean): Result | null {
  const [{ file }, old] = [query, query.old.text];
  const isShort = nCodePoints(squeezed(old)) < SHORTEST_PIECE;
  const places = wholeLines || isShort ? query.wholePlaces : query.exactPlaces.filter((at) => isPasted(query, at));
  const at = places[0];
  if (places.length > 1) return several(query, places);
  if (at !== undefined) {
    const written = query.written(at);
    if (standsLiterally(file.text, at, old, written)) return alreadyThere(query, at);
    return file.applied([[at, at + old.length, written]], tier);
  }
  for (const key of ["RIGHT_TRIMMED", "BODY", "FOLDED"] as const) {
    const result = inWholeLines(query, key, tier);
    if (result !== null) return result;
  }
  return null;
}

/** False where whole lines are there that begin otherwise than the new text: then a merge says what is written. */
function isPasted(query: Query, at: number): boolean {
  const [{ text }, old, put] = [query.file, query.old.text, query.put.text];
  if (old[0] === "\n" && put !== "" && put[0] !== "\n") return false;
  const [before, end] = [text.slice(lineStart(text, at), at), at + old.length];
  return trim(before) !== "" || before === "" || (text[end - 1] !== "\n" && (text[end] ?? "\n") !== "\n");
}

// Escapes

interface Escaping {
  readonly find: RegExp;
  readonly isEntity: boolean;
}
const BACKSLASH: Escaping = { find: /\\([ntr"'`\\$/])/g, isEntity: false };
const ENTITY: Escaping = { find: /(&(?:lt|gt|amp|quot|apos|#39|#x27|nbsp);)/g, isEntity: true };
const MEANT: Readonly<Record<string, string>> = {
  n: "\n", t: "\t", r: "\r", "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'", "&#39;": "'",
  "&#x27;": "'", "&nbsp;": "\u00a0",
};
const IN_STRINGS = ["n", "t", "r", "\\"];

const meaning = (kind: string): string => MEANT[kind] ?? kind;
const kindsIn = (text: string, { find }: Escaping): string[] => [...text.matchAll(find)].map((one) => one[1]!);
const decoded = (text: string, { find }: Escaping): string => text.replace(find, (_, kind: string) => meaning(kind));

export function escapes(query: Query): Result | null {
  if (query.exactPlaces.length > 0) return null;
  const old = query.old.text;
  for (const nTimes of old.includes("\\") ? [1, 2] : []) {
    const result = unescaped(query, BACKSLASH, nTimes);
    if (result !== null) return result;
  }
  return kindsIn(old, ENTITY).length > 0 ? unescaped(query, ENTITY, 1) : null;
}

function unescaped(query: Query, how: Escaping, nTimes: number): Result | null {
  let old = query.old.text;
  const kinds: Set<string>[] = [];
  for (let n = 0; n < nTimes; n++) {
    const here = new Set(kindsIn(old, how));
    if (raw(old, how, here).length > 0) return null;
    kinds.push(here);
    old = decoded(old, how);
  }
  const isShared = query.old.solid.some((line) => query.put.text.includes(trim(line)) && kindsIn(line, how).length > 0);
  const undone = decodedToo(query.put.text, old, how, kinds, isShared);
  if (undone === null && (isShared || !isAsMeant(query.put.text, old, how, new Set(kinds.flatMap((some) => [...some]))))) return null;
  const put = undone ?? query.put.text;
  return hasAnotherForm(old, put) ? null : applyRepaired(query, old, put, "escapes");
}

/** Whether a new line is an old one in another form: the edit keeps it, and does not know how the file has it. */
function hasAnotherForm(old: string, put: string): boolean {
  const bare = (line: string): string => decoded(line, ENTITY).replaceAll("\\", "");
  const lines = new Set(old.split("\n").map(trim));
  const forms = new Set([...lines].map(bare).filter((one) => one !== ""));
  return put.split("\n").map(trim).some((line) => !lines.has(line) && forms.has(bare(line)));
}

/** The new text, decoded as the search text was; null unless it has escapes of the same kinds only. */
function decodedToo(put: string, old: string, how: Escaping, kinds: readonly ReadonlySet<string>[], isCertain: boolean): string | null {
  let text = put;
  const shows = new Set<string>();
  for (const here of kinds) {
    const found = kindsIn(text, how);
    if (!found.every((one) => here.has(one)) || raw(text, how, here).length > 0) return null;
    found.filter((one) => one !== "\\").forEach((one) => shows.add(one));
    text = decoded(text, how);
  }
  kindsIn(old, how).forEach((one) => shows.delete(one));
  return isCertain || (shows.size > 0 && !keepsAnEscape(put, old, how)) ? text : null;
}

function isAsMeant(put: string, old: string, how: Escaping, kinds: ReadonlySet<string>): boolean {
  const inPut = kindsIn(put, how);
  if (inPut.length === 0 || keepsAnEscape(put, old, how)) return true;
  const isInStrings = (one: string): boolean => IN_STRINGS.includes(one);
  return inPut.every(isInStrings) && !raw(put, how, kinds).every(isInStrings);
}

function keepsAnEscape(put: string, old: string, how: Escaping): boolean {
  const lines = new Set(old.split("\n").filter((line) => kindsIn(line, how).length > 0).map(stripped));
  return put.split("\n").some((line) => lines.has(stripped(line)));
}

/** Of these kinds, those whose meaning is in a text without being escaped. */
function raw(text: string, how: Escaping, kinds: Iterable<string>): string[] {
  const rest = text.replace(how.find, "");
  return [...kinds, ...(how.isEntity ? ["&amp;"] : [])].filter((kind) => rest.includes(meaning(kind)));
}

// Pasted

interface Marks {
  /** The lines of the search text without them. */
  readonly old: string[];
  /** Lines of the new text without their marks; null where not all of them are marked. */
  readonly unmark: (lines: string[]) => string[] | null;
  readonly isMarked: (line: string) => boolean;
  /** A mark of this kind before a line in any notation; null for marks around all lines. */
  readonly other: RegExp | null;
}
const NUMBER = new RegExp(`^[${SPACE}]*(?:[A-Za-z]?\\p{Nd}{1,7}(?![${WORD}])[→:|.)\\]]?|[|→])[${SPACE}]*`, "u");
const SIGN = new RegExp(`^[${SPACE}]*[-+>|][${SPACE}]*`);
const MOST_SIGNS = 3;
const GUTTERS = [/^ *(\p{Nd}{1,7})→/u, /^ *(\p{Nd}{1,7})\t/u, /^ *(\p{Nd}{1,7}) ?\| ?/u, /^ *(\p{Nd}{1,7}): ?/u];
const FENCE = new RegExp(`^(?:\`\`\`|~~~)[${WORD}.+#-]*$`, "u");
const DIGIT = /^\p{Nd}$/u;

export function pasted(query: Query): Result | null {
  if (query.old.solid.length < 2) return null;
  for (const find of [lineNumbers, codeFence, diffMarks, quotationMarks]) {
    const marks = find(query, query.old.all);
    if (marks === null) continue;
    const put = query.put.all.length > 0 ? marks.unmark(query.put.all) : [];
    if (put === null && query.put.solid.some(marks.isMarked)) continue;
    if (put !== null && marks.old.some((line) => trim(line) !== "" && (marks.unmark([line])?.length ?? 0) > 0)) continue;
    const written = put ?? query.put.all;
    if (marks.other !== null && isMarkedOtherwise(marks.old, written, marks.other)) continue;
    const [old, now] = [marks.old, written].map((some) => some.map((line) => (trim(line) === "" ? "\n" : `${line}\n`)).join(""));
    const result = applyRepaired(query, old!, now!, "pasted", true);
    if (result !== null) return result;
  }
  return null;
}

const solidLines = (lines: readonly string[]): string[] => lines.filter((line) => trim(line) !== "");
const nSpaces = (line: string): number => line.length - line.replace(/^[ \xa0]+/, "").length;

/** Whether the new text shows marks that were not taken off, or a space that may be a part of a mark. */
function isMarkedOtherwise(old: readonly string[], put: readonly string[], mark: RegExp): boolean {
  const [ours, theirs] = [solidLines(old), solidLines(put)];
  const [mine, others] = [ours, theirs].map((some) => new Map(some.map((line) => [trim(line), nSpaces(line)])));
  const pairs: [number, number][] = [];
  for (const [body, depth] of others!) if (mine!.has(body)) pairs.push([mine!.get(body)!, depth]);
  if (ours.length > 0 && theirs.length > 0) {
    const [one, other] = [ours.map(nSpaces), theirs.map(nSpaces)];
    pairs.push([one[0]!, other[0]!], [least(one), least(other)]);
  }
  if (pairs.some(([one, other]) => Math.abs(one - other) === 1)) return true;
  const added = [...others!.keys()].filter((line) => !mine!.has(line));
  const [signs, usual] = [added, [...mine!.keys()]].map((some) => new Set(some.map((line) => signOf(line, mark))));
  const isUsual = !countUp(added) && !usual!.has(null) && [...signs!].every((one) => usual!.has(one));
  if (added.length > 0 && !signs!.has(null) && !isUsual) return true;
  return added.some((line) => unmarked(line, mark).some((body) => mine!.has(body)));
}

const NOT_OF_SIGN = new RegExp(`[\\p{Nd}${SPACE}]`, "gu");
/** The mark before a line without its digits and whitespace; null where there is none. */
const signOf = (line: string, mark: RegExp): string | null => mark.exec(line)?.[0].replace(NOT_OF_SIGN, "") ?? null;

const FIRST_NUMBER = new RegExp(`^[A-Za-z]?(\\p{Nd}{1,7})(?![${WORD}])`, "u");
/** Whether several lines begin with numbers that ascend by one. */
function countUp(lines: readonly string[]): boolean {
  const found = lines.map((line) => FIRST_NUMBER.exec(line)?.[1]);
  if (lines.length < 2 || found.includes(undefined)) return false;
  const numbers = found.map((one) => numberOf(one!));
  return numbers.every((one, n) => n === 0 || one === numbers[n - 1]! + 1);
}

const least = (some: readonly number[]): number => some.reduce((one, other) => Math.min(one, other));

/** The line without what may be a mark before it, sign by sign. */
function unmarked(line: string, mark: RegExp): string[] {
  const found: string[] = [];
  for (let n = 0; n < MOST_SIGNS && mark.test(line); n++) found.push((line = line.replace(mark, "")));
  return found;
}

/** The number that decimal digits of any script write; each script's ten are in a row. */
function numberOf(digits: string): number {
  let number = 0;
  for (const digit of digits) {
    const code = digit.codePointAt(0)!;
    let first = code;
    while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
    number = 10 * number + ((code - first) % 10);
  }
  return number;
}

function lineNumbers(_query: Query, lines: readonly string[]): Marks | null {
  for (const gutter of GUTTERS) {
    const found = numbersOf(gutter, lines);
    if (found === null) continue;
    const isOfPlace = (n: number): boolean => found[0]! <= n && n < found.at(-1)! + 2;
    const without = (some: readonly string[], one: RegExp): string[] => some.map((line) => line.replace(one, ""));
    return {
      old: without(lines, gutter),
      other: NUMBER,
      unmark: (some) => {
        for (const one of [gutter, ...GUTTERS]) {
          const numbers = numbersOf(one, some);
          if (numbers !== null && isOfPlace(numbers[0]!)) return without(some, one);
        }
        return null;
      },
      isMarked: (line) => {
        const one = gutter.exec(line);
        return one !== null && isOfPlace(numberOf(one[1]!));
      },
    };
  }
  return null;
}

function numbersOf(gutter: RegExp, lines: readonly string[]): number[] | null {
  const numbers: number[] = [];
  for (const line of lines) {
    const found = gutter.exec(line);
    if (found === null) return null;
    numbers.push(numberOf(found[1]!));
    if (numbers.length > 1 && numbers.at(-1) !== numbers.at(-2)! + 1) return null;
  }
  return numbers;
}

const isFence = (line: string): boolean => FENCE.test(stripped(line));

function codeFence(query: Query, lines: string[]): Marks | null {
  const old = unfenced(lines);
  return old === null || query.file.solid.some(isFence) ? null : { old, unmark: unfenced, isMarked: isFence, other: null };
}

function unfenced(lines: string[]): string[] | null {
  let [start, end] = [0, lines.length];
  while (start < end && lines[start] === "") start++;
  while (start < end && lines[end - 1] === "") end--;
  const some = lines.slice(start, end);
  const last = some.length - 1;
  const fences = some.flatMap((line, n) => (isFence(line) ? [n] : []));
  if (some.length > 2 && fences.length === 2 && fences[0] === 0 && fences[1] === last) {
    if (stripped(some[last]!) === stripped(some[0]!).slice(0, 3)) return some.slice(1, -1);
  }
  if (some.length < 2 || fences.length !== 1) return null;
  return fences[0] === 0 ? some.slice(1) : fences[0] === last ? some.slice(0, -1) : null;
}

const diffMarks = (_query: Query, lines: string[]): Marks | null =>
  marksOf(afterMark(lines, "-"), (some) => afterMark(some, "+"), (line) => line.startsWith("-") || line.startsWith("+"));

const quotationMarks = (_query: Query, lines: string[]): Marks | null =>
  marksOf(quoted(lines), quoted, (line) => line.startsWith(">"));

function quoted(lines: string[]): string[] | null {
  const found = afterMark(lines, "> ");
  return found !== null && found.length > 0 ? found : afterMark(lines, ">");
}

function afterMark(lines: readonly string[], mark: string): string[] | null {
  const isMarked = lines.every((line) => line.startsWith(mark) || line === mark.trimEnd());
  return isMarked ? lines.map((line) => line.slice(mark.length)) : null;
}

const marksOf = (old: string[] | null, unmark: Marks["unmark"], isMarked: Marks["isMarked"]): Marks | null =>
  old === null ? null : { old, unmark, isMarked, other: SIGN };

// Elision

const ELISION = new RegExp(
  `^[${SPACE}]*(?:(?:#|//|--|/\\*|<!--|;|%)[${SPACE}]*(?:\\.\\.\\.|…)[^"']{0,60}|(?:\\.\\.\\.|…)[${SPACE}]*)$`, "u",
);
const MOST_ELIDED = 400;

export function elision(query: Query): Result | null {
  const { solid } = query.old;
  if (query.all || !/\.\.\.|…/.test(query.old.text)) return null;
  const at = solid.findIndex((line) => ELISION.test(line));
  if (at < 1 || at >= solid.length - 1 || solid.slice(at + 1).some((line) => ELISION.test(line))) return null;
  const elided = elidedLines(query, at);
  if (elided === null) return null;
  const comment = trim(solid[at]!);
  const put = filled(query.put, comment, elided);
  return put === null ? null : applyStricter(query.repaired(withLines(query.old, comment, elided), put), "elision", false);
}

function elidedLines(query: Query, at: number): string[] | null {
  const { file, old } = query;
  const keys = old.keys("FOLDED");
  const [above, below] = [keys.slice(0, at), keys.slice(at + 1)].map((some) => windows(file.keys("FOLDED"), some));
  if (above!.length !== 1 || below!.length !== 1) return null;
  const [start, stop] = [above![0]! + at, below![0]!];
  if (start > stop || stop > start + MOST_ELIDED) return null;
  const ours = [...old.solid.slice(0, at), ...old.solid.slice(at + 1)];
  const here = [...file.solid.slice(above![0]!, start), ...file.solid.slice(stop, stop + keys.length - at - 1)];
  const shift = even(ours.map((line, n) => [indent(line), indent(here[n]!)] as const));
  const lines = file.all.slice(file.at[start - 1]! + 1, file.at[stop]!);
  if (shift === null || (shift.added === "" && shift.removed === "")) return lines;
  const back: Shift = { added: shift.removed, removed: shift.added };
  const moved: string[] = [];
  for (const line of lines) {
    const one = trim(line) === "" ? "" : shifted(indent(line), back);
    if (one === null) return null;
    moved.push(one + line.trimStart());
  }
  return moved;
}

function filled(put: Lines, comment: string, elided: readonly string[]): string | null {
  const comments = put.all.filter((line) => trim(line) === comment).length;
  if (comments === 1) return withLines(put, comment, elided);
  const rest = put.solid.map(trim);
  let at = -1;
  const hasAll = elided.map(trim).filter((line) => line !== "").every((line) => (at = rest.indexOf(line, at + 1)) >= 0);
  return hasAll && comments === 0 ? put.text : null;
}

/** A text with the elided lines for the comment and the blank lines around it. */
function withLines(text: Lines, comment: string, elided: readonly string[]): string {
  const at = text.all.findIndex((line) => trim(line) === comment);
  let [start, stop] = [at, at + 1];
  while (start > 0 && trim(text.all[start - 1]!) === "") start--;
  while (stop < text.all.length && trim(text.all[stop]!) === "") stop++;
  const lines = [...text.all.slice(0, start), ...elided, ...text.all.slice(stop)];
  return lines.join("\n") + (text.text.endsWith("\n") && lines.at(-1) !== "" ? "\n" : "");
}
