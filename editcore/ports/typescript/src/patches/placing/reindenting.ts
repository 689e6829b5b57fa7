/**
 * Hunks whose lines match but for whitespace get the indentation of the file.
 *
 *     hunk  |-go()        file  |    go()        becomes  |-    go()
 *           |+walk()                                      |+    walk()
 *
 * Context stays as the file has it. The indentation of an added line is decided as for edits. A hunk is refused if that
 * is not certain.
 */

import { FileText } from "../../file.js";
import { type Indents, even } from "../../frame.js";
import { bisect } from "../../line_index.js";
import { type Merged, merged } from "../../merge.js";
import { lineByLine } from "../../place.js";
import { Lines, indent, strip, trim } from "../../text.js";
import { type Hunk, newOf, oldOf } from "../../types.js";
import type { Placed } from "./policy.js";

const LEAST_WIDTH = 2;
const AROUND = 20;

const textIndent = (line: string): string => indent(line.slice(1));
const hasText = (line: string): boolean => trim(line.slice(1)) !== "";
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/**
 * The hunk re-indented as the file is; null if the indentation of a new line is not certain. `old`: its old lines as
 * they matched. With `byContext`, a hunk whose context is indented as the file is not shifted by some removed lines.
 */
export function reindented(given: Placed, old: readonly string[], lines: readonly string[], byContext: boolean): Placed | null {
  // A space may follow each sign of the patch: then another reading of it decides (see `other_readings`).
  if (mayFollowSpaces(given, lines)) return null;
  if (!isShifted(given, lines, byContext)) return addsLikeMisread(given, lines) ? null : given;
  const found = { ...given, shifted: true };
  if (!found.hunk.lines.some((line) => line[0] === "+" && hasText(line))) return found;
  const first = Math.max(found.line - AROUND, 0);
  const text = joined(lines.slice(first, found.line + found.nOld + AROUND));
  const view = new FileText(text.startsWith("\ufeff") ? text.slice(1) : text);
  let [hunk, solid, now] = [found.hunk, new Lines(joined(old)), new Lines(joined(newOf(found.hunk)))];
  const at = bisect(view.at, found.line - first);
  const nPairs = Math.min(solid.indents.length, view.solid.length - at);
  let pairs = solid.indents.slice(0, nPairs).map((one, n): Indents => [one, indent(view.solid[at + n]!)]);
  if (!isFunction(pairs) || (!pairs.every(isSameKind) && mixesKinds(lines))) return null;
  const units = unitsOf(pairs);
  if (units !== null) {
    const other = inUnits(hunk, ...units);
    if (other === null) return null;
    hunk = other;
    [solid, now] = [new Lines(joined(oldOf(hunk))), new Lines(joined(newOf(hunk)))];
    // From here on the hunk has the file's units: its old indentations are the file's.
    pairs = pairs.map(([, one]) => [one, one]);
  }
  const result = merged(view, lineByLine(at, solid.solid.length), solid, now, "FOLDED", false);
  // Edits may drop what they doubt; a hunk names every line, so its own old lines check the result.
  if (typeof result === "string" || !followsOld(hunk, view.all, pairs, result)) return null;
  const [start, end] = [first + result.first, first + result.last];
  const above = lines.slice(found.line, start);
  const below = lines.slice(end, found.line + found.nOld);
  const after = [...above, ...result.lines.map((line) => (typeof line === "string" ? line : lines[first + line]!)), ...below];
  // Edits forgive blank lines; a hunk names each of them.
  const wanted = newOf(hunk);
  if (after.length !== wanted.length || after.some((line, n) => (trim(line) === "") !== (trim(wanted[n]!) === ""))) return null;
  return { ...found, hunk: withLinesOf(view, hunk, result, new Map(pairs)), line: start, nOld: end - start };
}

/**
 * Whether each added line that is indented as an old line is written with the file's indentation of that line.
 *
 * If no indented line is as in the file, and the lines are not all off by the same, the hunk may use another unit. Then
 * other indentations are not certain.
 */
function followsOld(hunk: Hunk, lines: readonly string[], pairs: readonly Indents[], result: Merged): boolean {
  const there = new Map(pairs);
  const isCertain = even(pairs) !== null || pairs.some(([ours, theirs]) => ours === theirs && theirs !== "");
  const written = new Set(result.lines.map((line) => (typeof line === "string" ? line : lines[line])));
  return hunk.lines.every((line) => {
    if (line[0] !== "+" || !hasText(line)) return true;
    const start = textIndent(line);
    const theirs = there.get(start);
    return theirs === undefined ? isCertain : written.has(theirs + line.slice(1 + start.length));
  });
}

/** The old lines of a hunk that have text, each with the file's indentation. */
function* beside(found: Placed, lines: readonly string[]): Generator<readonly [line: string, there: string]> {
  let at = found.line;
  for (const line of found.hunk.lines) {
    if (line[0] === "+") continue;
    if (hasText(line)) yield [line, indent(lines[at] ?? "")];
    at++;
  }
}

/** Whether an added line is indented like a removed line that the file indents otherwise. */
function addsLikeMisread(found: Placed, lines: readonly string[]): boolean {
  const misread = new Set<string>();
  for (const [line, there] of beside(found, lines)) if (line[0] === "-" && textIndent(line) !== there) misread.add(textIndent(line));
  return found.hunk.lines.some((line) => line[0] === "+" && hasText(line) && misread.has(textIndent(line)));
}

/** Whether context is as in the file, and every removed line has one more space: it may follow the sign. */
function mayFollowSpaces(found: Placed, lines: readonly string[]): boolean {
  let nRemoved = 0;
  for (const [line, there] of beside(found, lines)) {
    if (textIndent(line) !== (line[0] === "-" ? ` ${there}` : there)) return false;
    if (line[0] === "-") nRemoved++;
  }
  return nRemoved > 0;
}

/** Whether a hunk has an indented line of the file, with the file's own indentation. */
export function showsIndentation(found: Placed, lines: readonly string[]): boolean {
  const there = lines.slice(found.line, found.line + found.nOld);
  return found.shifted !== true && there.some((line) => indent(line) !== "" && trim(line) !== "");
}

/** Whether context, or every removed line, is indented otherwise than in the file. Without context, any line. */
function isShifted(found: Placed, lines: readonly string[], byContext: boolean): boolean {
  const [context, removed]: [boolean[], boolean[]] = [[], []];
  for (const [line, there] of beside(found, lines)) (line[0] === " " ? context : removed).push(textIndent(line) !== there);
  if (byContext && context.length > 0) return context.some(Boolean) || (removed.length > 0 && removed.every(Boolean));
  return [...context, ...removed].some(Boolean);
}

/** Whether every indentation of the hunk stands for only one of the file. */
function isFunction(pairs: readonly Indents[]): boolean {
  const found = new Map(pairs);
  return pairs.every(([ours, theirs]) => found.get(ours) === theirs);
}

/** Whether two indentations use the same characters, or one is the other behind more whitespace. */
function isSameKind([ours, theirs]: Indents): boolean {
  const kinds = (text: string): string => [...new Set(text)].sort().join("");
  return kinds(ours) === kinds(theirs) || ours.endsWith(theirs) || theirs.endsWith(ours);
}

/**
 * The units of the hunk and of the file, if one indents by tabs and the other by spaces in constant ratio; else null. A
 * line at the left margin or two depths must show that no level is missing.
 */
function unitsOf(pairs: readonly Indents[]): [string, string] | null {
  const shown = pairs.filter((pair) => pair.some((one) => one !== ""));
  if (shown.length === 0 || shown.some((pair) => pair.includes(""))) return null;
  if (new Set(shown.map((pair) => pair.join("\n"))).size < 2 && shown.length === pairs.length) return null;
  for (const side of [0, 1] as const) {
    const [tabs, spaces] = [shown.map((pair) => pair[side]), shown.map((pair) => pair[side === 0 ? 1 : 0])];
    const width = spaces[0]!.length / tabs[0]!.length;
    const isEven = spaces.every((one, n) => one.length / tabs[n]!.length === width);
    if (!isEven || !/^\t+$/.test(tabs.join("")) || !/^ +$/.test(spaces.join(""))) continue;
    const unit = " ".repeat(Math.floor(width));
    return width < LEAST_WIDTH ? null : side === 0 ? ["\t", unit] : [unit, "\t"];
  }
  return null;
}

/**
 * The hunk with the unit `theirs` for `ours`; null if a line has a part of a unit. Null also if added lines have the
 * hunk's unit and other lines the file's: they may be meant so.
 */
function inUnits(hunk: Hunk, ours: string, theirs: string): Hunk | null {
  const solid = hunk.lines.filter(hasText);
  const hasOurs = solid.some((line) => line[0] === "+" && textIndent(line)[0] === ours[0]);
  if (hasOurs && solid.some((line) => textIndent(line)[0] === theirs[0])) return null;
  const lines: string[] = [];
  for (const line of hunk.lines) {
    const start = textIndent(line);
    let width = 0;
    while (start[width] === ours[0]) width++;
    const [nUnits, rest] = [Math.floor(width / ours.length), start.slice(width)];
    if (width % ours.length > 0 || (rest !== "" && (theirs === "\t" || rest.includes("\t")))) return null;
    lines.push(line[0] + theirs.repeat(nUnits) + line.slice(1 + nUnits * ours.length));
  }
  return { ...hunk, lines };
}

/** Whether a file indents with several characters: then it does not show what another one stands for. */
function mixesKinds(lines: readonly string[]): boolean {
  let kind = "";
  for (const line of lines) {
    const start = trim(line) === "" ? "" : indent(line);
    if (start === "") continue;
    kind ||= start[0]!;
    if (strip(start, kind) !== "") return true;
  }
  return false;
}

/**
 * The hunk with the file's own lines for its old ones, and the merged lines for its new ones. `there`: indentation of the
 * hunk -> indentation of the file, for lines that consist of indentation.
 */
function withLinesOf(view: FileText, hunk: Hunk, result: Merged, there: ReadonlyMap<string, string>): Hunk {
  const out: string[] = [];
  let done = result.first;
  for (const line of result.lines) {
    if (typeof line === "string") out.push(`+${line !== "" && trim(line) === "" ? (there.get(line) ?? line) : line}`);
    else if (line < done) out.push(`+${view.all[line]}`); // A blank line of the file that is in the new text twice.
    else {
      for (const one of view.all.slice(done, line)) out.push(`-${one}`);
      out.push(` ${view.all[line]}`);
      done = line + 1;
    }
  }
  for (const one of view.all.slice(done, result.last)) out.push(`-${one}`);
  return { ...hunk, lines: out };
}
