/**
 * Slips in the marks of a hunk's lines, undone if the file shows what was meant.
 *
 *     written  |  x = 1     file  |  x = 1     The first mark is missing: the file has the whole line, and not the line
 *              |-  y = 2          |  y = 2     without its first character.
 *
 * Undoing a slip gives another hunk. It is looked for if the hunk as written matches nowhere.
 */

import type { LineIndex } from "../../line_index.js";
import { indent, trim } from "../../text.js";
import { type Hunk, oldOf } from "../../types.js";
import { changes } from "./policy.js";

export const SLIPS_EQUALITY = "right_trimmed";
const MOST_SPOTS = 5_000;
const MOST_READINGS = 8;
const MOST_RUNS = 4;
const NUMBER = /^[ \t]*(\d{1,7})(?:→|\t| ?\| ?|: ?)/;
const ESCAPED_TABS = /(?<=^[ +-])(?:\\t)+/;

/** The hunks that may be meant instead, for each slip, likeliest first. */
export function* withoutSlips(hunk: Hunk, seeker: LineIndex): Generator<Hunk[]> {
  for (const undo of SLIPS) {
    const found = undo(hunk, seeker);
    if (found.length > 0) yield found;
  }
}

/** The hunks in which the marks of some old lines are text, one for each combination that matches. */
function withSpaces(hunk: Hunk, seeker: LineIndex): Hunk[] {
  const unmarked = new Set(hunk.unmarked);
  const old = hunk.lines.flatMap((line, n) => (line[0] === "+" ? [] : [n]));
  const forms = old.map((n) => (unmarked.has(n) ? [hunk.lines[n]!.slice(1)] : [hunk.lines[n]!.slice(1), hunk.lines[n]!]));
  const found = new Map<string, Hunk>();
  for (const place of placesOf(seeker, forms)) {
    const lines = [...hunk.lines];
    forms.forEach((form, k) => {
      if (form.length > 1 && !seeker.matchesAt([form[0]!], SLIPS_EQUALITY, place + k)) lines[old[k]!] = ` ${form[1]}`;
    });
    const one = { ...hunk, lines };
    if (lines.some((line, n) => line !== hunk.lines[n]) && changes(one) === changes(hunk)) {
      for (const other of asDeep(hunk, one)) if (!found.has(textOf(other))) found.set(textOf(other), other);
    }
    if (found.size > MOST_READINGS) return [];
  }
  return [...found.values()];
}

const textOf = (hunk: Hunk): string => hunk.lines.join("\n");
const textIndent = (line: string): string => indent(line.slice(1));
const hasText = (line: string): boolean => trim(line.slice(1)) !== "";

/**
 * What a hunk may mean if its context lacks a space: the mark of each context line, or a space of every line.
 *
 * Only added lines tell, by depths that the context has too; where they do not tell, the hunk may mean both. If some
 * context lines lack no space, only added lines that are as deep as a line that lacks one may lack it too.
 */
function asDeep(hunk: Hunk, found: Hunk): Hunk[] {
  const context = found.lines.filter((line) => line[0] === " " && trim(line) !== "");
  const known = new Set(context);
  const lacking = new Set(hunk.lines.filter((line) => hasText(line) && known.has(` ${line}`)).map(textIndent));
  const isLacking = (line: string): boolean => textIndent(line) === "" || lacking.has(textIndent(line));
  const added = hunk.lines.filter((line) => line[0] === "+");
  // Lines at the margin, and only these, may be as they are in both readings.
  if (hunk.lines.every((line) => line[0] === "+" || !hasText(line) || isLacking(line))) {
    for (const one of added.map(textIndent)) if (one !== "") lacking.add(one);
  }
  const depths = new Set(added.filter(hasText).map(textIndent).filter((one) => lacking.has(one)));
  if (depths.size === 0 || [...depths].some((one) => one.includes("\t"))) return [found];
  const others = context.map((line) => textIndent(line).length);
  const lines = found.lines.map((line) => (line[0] === "+" && depths.has(textIndent(line)) ? `+ ${line.slice(1)}` : line));
  const shifted = { ...found, lines };
  const unit = others.reduce(gcd, 0) || 1;
  for (const fits of [(depth: number) => others.includes(depth), (depth: number) => depth % unit === 0]) {
    const widths = [...depths].map((one) => one.length).filter((one) => one > 0);
    const [asWritten, asShifted] = [0, 1].map((more) => widths.every((depth) => fits(depth + more)));
    if (asWritten !== asShifted) return [asWritten ? found : shifted];
  }
  return [found, shifted];
}

const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other));

/** The 0-based lines at which each line of a block matches in one of its forms; none if its lines are too common. */
function placesOf(seeker: LineIndex, forms: readonly (readonly string[])[]): number[] {
  const symbols = forms.map((one) => new Set(seeker.symbols(one, SLIPS_EQUALITY).filter((symbol) => symbol !== undefined)));
  if (forms.length === 0 || symbols.some((some) => some.size === 0)) return [];
  const spots = (n: number): number[] => [...symbols[n]!].flatMap((symbol) => seeker.spots(symbol, SLIPS_EQUALITY));
  const sizes = symbols.map((some) => [...some].reduce((sum, one) => sum + seeker.spots(one, SLIPS_EQUALITY).length, 0));
  const least = sizes.reduce((one, other) => Math.min(one, other));
  if (least > MOST_SPOTS) return [];
  const [rarest, row] = [sizes.indexOf(least), seeker.row(SLIPS_EQUALITY)];
  const starts = spots(rarest).sort((one, other) => one - other).map((at) => at - rarest);
  return starts.filter((start) => symbols.every((some, n) => some.has(row[start + n]!)));
}

/**
 * The hunks in which some runs of blank context beside added lines are added too, for each combination of runs.
 *
 * A run with marks is context, unless it has added lines on both sides. A run at an end of the hunk is context.
 */
export function withAddedBlanks(hunk: Hunk): Hunk[] {
  const unmarked = new Set(hunk.unmarked);
  const runs = blankRuns(hunk).filter(([first, end]) => {
    const around = [hunk.lines[first - 1], hunk.lines[end]];
    const nAdded = around.filter((line) => line?.[0] === "+").length;
    return nAdded === 2 || (nAdded > 0 && unmarked.has(first) && around.every((line) => line !== undefined && trim(line) !== ""));
  });
  if (runs.length === 0) return [];
  const picked = runs.length <= MOST_RUNS ? combinations(runs) : [runs];
  return picked.map((some) => withAdded(hunk, some));
}

type Run = readonly [first: number, end: number];

/** All choices of one or more items, the smallest first, each in order. */
function combinations(runs: readonly Run[]): Run[][] {
  let found: Run[][] = [[]];
  for (const one of runs) found = [...found, ...found.map((some) => [...some, one])];
  return found.slice(1).sort((one, other) => one.length - other.length);
}

/** The hunk in which the context lines of these runs are added. */
function withAdded(hunk: Hunk, runs: readonly Run[]): Hunk {
  const isAdded = (n: number): boolean => runs.some(([first, end]) => first <= n && n < end);
  const lines = hunk.lines.map((line, n) => (isAdded(n) ? `+${line.slice(1)}` : line));
  return { ...hunk, lines, unmarked: hunk.unmarked.filter((n) => !isAdded(n)) };
}

/** Each run of blank context lines that all have marks, or all lack them. */
function blankRuns(hunk: Hunk): Run[] {
  const unmarked = new Set(hunk.unmarked);
  const kinds = hunk.lines.map((line, n) => (line[0] === " " && trim(line) === "" ? unmarked.has(n) : null));
  const starts = kinds.flatMap((kind, n) => (n > 0 && kind === kinds[n - 1] ? [] : [n]));
  return starts.map((first, k): Run => [first, starts[k + 1] ?? kinds.length]).filter(([first]) => kinds[first] !== null);
}

/** The hunk without the whitespace in place of the leading space, if all unmarked lines have one. */
function withoutOtherMarks(hunk: Hunk): Hunk[] {
  const marked = hunk.unmarked.filter((n) => trim(hunk.lines[n]!) !== "");
  if (marked.length === 0 || marked.some((n) => trim(hunk.lines[n]![1]!) !== "")) return [];
  const some = new Set(marked);
  return [{ ...hunk, lines: hunk.lines.map((line, n) => (some.has(n) ? ` ${line.slice(2)}` : line)), unmarked: [] }];
}

/** The hunk with tabs for the `\t` that its lines begin with. */
function withTabs(hunk: Hunk): Hunk[] {
  const lines = hunk.lines.map((line) => line.replace(ESCAPED_TABS, (tabs) => "\t".repeat(tabs.length / 2)));
  return lines.some((line, n) => line !== hunk.lines[n]) ? [{ ...hunk, lines }] : [];
}

/**
 * The hunk without line numbers, ascending by one, before all old lines. All added lines have some, or none. A number
 * before an added line must be one of the hunk. If lines of the file begin with numbers, added ones may too.
 */
function withoutNumbers(hunk: Hunk): Hunk[] {
  const all = hunk.lines.map((line) => NUMBER.exec(line.slice(1)));
  const numbers = all.filter((_, n) => hunk.lines[n]![0] !== "+").map((one) => (one ? Number(one[1]) : -2));
  if (numbers.length === 0 || numbers[0]! < 0 || numbers.some((one, n) => n > 0 && one !== numbers[n - 1]! + 1)) return [];
  const end = numbers.at(-1)! + hunk.lines.length;
  const found = all.map((one) => (one && Number(one[1]) >= numbers[0]! && Number(one[1]) <= end ? one : null));
  const added = found.filter((_, n) => hunk.lines[n]![0] === "+" && hasText(hunk.lines[n]!));
  const hasSome = added.some((one) => one !== null);
  if (hasSome && added.includes(null)) return [];
  const lines = hunk.lines.map((line, n) => (found[n] ? line[0] + line.slice(1 + found[n][0].length) : line));
  if (hasSome && lines.some((line) => line[0] !== "+" && NUMBER.test(line.slice(1)))) return [];
  return [{ ...hunk, lines, sourceStart: numbers[0]! }];
}

/** The hunk without the blank context that it ends in, if its other lines are the last ones of the file. */
function withoutBlanksPastEnd(hunk: Hunk, seeker: LineIndex): Hunk[] {
  const n = hunk.lines.findLastIndex((line) => line[0] !== " " || trim(line) !== "") + 1;
  if (n === 0 || n === hunk.lines.length) return [];
  const shorter = { ...hunk, lines: hunk.lines.slice(0, n), unmarked: hunk.unmarked.filter((one) => one < n), endOfFile: true };
  const old = oldOf(shorter);
  return old.length > 0 && seeker.matchesAt(old, SLIPS_EQUALITY, seeker.lines.length - old.length) ? [shorter] : [];
}

const SLIPS: readonly ((hunk: Hunk, seeker: LineIndex) => Hunk[])[] = [
  withSpaces,
  withAddedBlanks,
  withoutOtherMarks,
  withTabs,
  withoutNumbers,
  withoutBlanksPastEnd,
  (hunk, seeker) => withAddedBlanks(hunk).flatMap((one) => withSpaces(one, seeker)),
];
