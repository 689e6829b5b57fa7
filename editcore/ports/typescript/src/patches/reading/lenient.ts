/**
 * Reading envelopes as models write them.
 *
 * What the grammar allows is read by the grammar, except for the text after `@@`. Everything else is read here, as long
 * as it can mean one thing only. A line with two possible meanings is left to placing: the file decides.
 */

import { SPACE, beginsWith, isBlank, strip, stripped, strippedEnd } from "../../text.js";
import { type FilePatch, type Hunk, PatchError, hunkOf } from "../../types.js";
import { NO_LINES } from "./cut_off.js";
import { HEADERS, NO_SECTIONS, UPDATE, parseStrict } from "./envelope.js";
import { type Envelope, envelopeIn, looseHeader } from "./wrapping.js";

const KNOWN = `${HEADERS.slice(0, 3).map((one) => `'${one}PATH'`).join(", ")} are; '${HEADERS[3]}PATH' below an update moves its file.`;
const LOOSE_MOVE = /^\*\*\* *(?:Move|Rename)(?: File)? to(?: *:|(?= ))([^]*)$/iu;
const LOOSE_EOF = /^\*\*\* *End of File *\**$/iu;
const ENVIRONMENT = new RegExp(`^[${SPACE}]*\\*\\*\\* *Environment ID *: *[^${SPACE}]`, "iu");
const NUMBERS = /^@@ *-(\d{1,99})(?:,\d+)? +\+\d+(?:,\d+)? *(?:@@ *([^]*))?$/;
const HEADER_OF_ADDED = /^@@(?: -0,0 \+1(?:,\d+)? @@)? *$/;
const ANCHOR = /[^.\-+, 0-9]/;
const DIFF_HEADER = /^(?:diff --git |index [0-9a-f]+\.\.|--- [ab]\/|\+\+\+ [ab]\/)/;
const STARS = new RegExp(`^[${SPACE}]*\\*\\*(?![*/])|(?<=[^${SPACE}])(?: +\\*{2,6}|\\*\\*)[${SPACE}]*$`, "g");
const NO_NEWLINE = /^\\ ?No newline at end of file *$/;

/** The sections. Throws if the meaning is not certain. */
export function parseLenient(text: string): FilePatch[] {
  const sections = parseStrict(text);
  return sections !== null && sections.length > 0 ? sections.map(withLooseHeaders) : new LenientReader(text).sections();
}

/** A section read by the grammar. The text after `@@` need not be a line of the file. */
function withLooseHeaders(section: FilePatch): FilePatch {
  const hunks = section.hunks.map((hunk) =>
    hunk.anchors.length === 0 ? hunk : { ...hunk, ...hintsIn(`@@ ${hunk.anchors[0]}`) },
  );
  const moveTo = section.moveTo === null ? null : pathIn(section.moveTo);
  return { ...section, path: pathIn(section.path), moveTo, hunks };
}

interface Hints {
  readonly anchors: readonly string[];
  readonly sourceStart: number | null;
}

/** The anchor (none or one) and the line number in an `@@` line. */
function hintsIn(line: string): Hints {
  const numbers = NUMBERS.exec(strippedEnd(line));
  if (numbers) {
    const text = numbers[2] ?? "";
    return { anchors: ANCHOR.test(text) ? [text] : [], sourceStart: Number(numbers[1]) };
  }
  let text = stripped(line.slice(2));
  if (text.endsWith("@@")) text = stripped(text.slice(0, -2));
  const isNone = !ANCHOR.test(text) || beginsWith(text.toLowerCase(), ["line ", "lines "]);
  return { anchors: isNone ? [] : [text], sourceStart: null };
}

/** The path in a header, without quotation marks and without the stars of a decorated marker or of bold letters. */
const pathIn = (text: string): string => strip(text.replace(STARS, ""), "`'\" \t\r");

/** Reads an envelope, and everything around and in it that can mean one thing only. */
class LenientReader {
  private readonly envelope: Envelope;
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.envelope = envelopeIn(text);
    this.lines = this.envelope.lines;
  }

  sections(): FilePatch[] {
    const { first, end, starred, ended } = this.envelope;
    const starts = starred.filter((n) => first <= n && n < end && this.header(n) !== null);
    let stray = this.full(range(first, starts[0] ?? end));
    if (stray.length > 0 && ENVIRONMENT.test(this.lines[stray[0]!]!)) stray = stray.slice(1);
    if (stray.length > 0) {
      const line = this.lines[stray[0]!]!;
      const known = line.startsWith("***") ? KNOWN : `'${UPDATE}PATH' begins a section.`;
      throw new PatchError(`${JSON.stringify(line)} is no file header: ${known}`, stray[0]! + 1);
    }
    if (starts.length === 0) throw new PatchError(NO_SECTIONS, first);
    return starts.map((start, n) => {
      const below = starts[n + 1] ?? end;
      return this.section(start, below, !ended && below === end);
    });
  }

  /** The lines that are not blank, of some. */
  private full(some: readonly number[]): number[] {
    return some.filter((n) => !isBlank(this.lines[n]!));
  }

  private header(n: number): { action: FilePatch["action"]; path: string } | null {
    const line = this.lines[n]!;
    const found = looseHeader(line);
    // Inside an update, an indented header is a context line.
    const above = n > this.envelope.first ? this.lines[n - 1]!.slice(0, 1) : "";
    if (found === null || (/^[ \t]/.test(line) && [" ", "+", "-", "@"].includes(above))) return null;
    return { action: found.action, path: pathIn(found.path) };
  }

  private section(start: number, end: number, cut: boolean): FilePatch {
    const { action, path } = this.header(start)!;
    const patchLine = start + 1;
    if (path === "") throw new PatchError("the file header names no file: give its path behind the colon.", patchLine);
    let body = range(start + 1, end);
    const made = { action, path, patchLine, moveTo: null };
    if (action === "delete") return { ...made, hunks: this.removed(body) };
    if (action === "add") return { ...made, hunks: this.added(body, cut) };
    const moves = new Map<number, string>();
    for (const n of body) {
      const move = this.lines[n]!.includes("**") ? LOOSE_MOVE.exec(this.lines[n]!) : null;
      if (move) moves.set(n, pathIn(move[1]!));
    }
    if (moves.size > 1) throw new PatchError("the file is moved twice: give one path.", [...moves.keys()][1]! + 1);
    const moveTo = [...moves.values()][0] ?? null;
    body = body.filter((n) => !moves.has(n));
    // Codex passes over a marker of the end of the file that stands above all lines.
    const above = Math.max(body.findIndex((n) => !LOOSE_EOF.test(this.lines[n]!)), 0);
    const hunks = this.hunks(body.slice(above), cut);
    if (hunks.length === 0 && moveTo === null) {
      throw new PatchError(`the update of ${path} has no hunks: send them, each begun by '@@'.`, patchLine);
    }
    return { ...made, moveTo, hunks };
  }

  /** The hunk of a deletion that names all lines of its file. */
  private removed(body: readonly number[]): Hunk[] {
    let full = this.full(body);
    if (full.length > 0 && this.lines[full[0]!] === "@@") full = full.slice(1);
    const stray = full.find((n) => this.lines[n]![0] !== "-");
    if (stray !== undefined) throw new PatchError("a deletion has no lines: leave them out.", stray + 1);
    return full.length > 0 ? [hunkOf(full.map((n) => this.lines[n]!), full[0]! + 1)] : [];
  }

  private added(given: readonly number[], cut: boolean): Hunk[] {
    const end = given.findLastIndex((n) => !isBlank(this.lines[n]!)) + 1;
    let body = given.slice(0, end).filter((n) => !LOOSE_EOF.test(this.lines[n]!));
    if (body.length > 0 && HEADER_OF_ADDED.test(this.lines[body[0]!]!)) body = body.slice(1);
    if (body.length === 0) return [];
    if (cut && !this.envelope.complete) {
      throw new PatchError("the patch ends in the middle of a file, without '*** End Patch': send it again whole, with that as its last line.", body.at(-1)! + 1);
    }
    const other = body.find((n) => this.lines[n] !== "" && !this.lines[n]!.startsWith("+"));
    if (other !== undefined) {
      throw new PatchError(`${JSON.stringify(this.lines[other])} in an added file does not begin with +: put it before each line.`, other + 1);
    }
    return [hunkOf(body.map((n) => this.lines[n]! || "+"), body[0]! + 1)];
  }

  /** The hunks of an update: from each `@@`, or several `@@` in a row, to the next. */
  private hunks(body: readonly number[], cut: boolean): Hunk[] {
    const heads = body.flatMap((n, at) => (this.lines[n]!.startsWith("@@") ? [at] : []));
    let before = this.full(body.slice(0, heads[0]));
    if (heads.length > 0 && before.every((n) => DIFF_HEADER.test(this.lines[n]!))) before = [];
    const groups: { heads: number[]; lines: readonly number[] }[] = [];
    if (before.length > 0) groups.push({ heads: [], lines: body.slice(body.indexOf(before[0]!), heads[0]) });
    heads.forEach((start, n) => {
      const lines = body.slice(start + 1, heads[n + 1]);
      const last = groups.at(-1);
      if (last !== undefined && this.full(last.lines).length === 0) {
        // Stacked `@@` lines; each line narrows the place down; blank lines may be between them.
        last.heads.push(body[start]!);
        last.lines = lines;
      } else groups.push({ heads: [body[start]!], lines });
    });
    const last = groups.at(-1);
    if (last !== undefined && groups.length > 1 && (this.envelope.ended || !cut) && this.isBare([...last.heads, ...last.lines], last.heads.length)) {
      groups.pop();
    }
    return groups.map((one, n) => this.hunk(one.heads, one.lines, cut && n === groups.length - 1));
  }

  private isBare(some: readonly number[], nHeads: number): boolean {
    return nHeads === 1 && some.every((n) => strip(stripped(this.lines[n]!), "@") === "");
  }

  private hunk(heads: readonly number[], body: readonly number[], cut: boolean): Hunk {
    if (this.full(body).length === 0) throw new PatchError(NO_LINES, heads[0]! + 1);
    const hints = heads.map((head) => hintsIn(this.lines[head]!));
    const hunk = {
      ...this.body(body, (heads[0] ?? body[0]!) + 1),
      anchors: hints.flatMap((one) => one.anchors),
      sourceStart: hints.findLast((one) => one.sourceStart !== null)?.sourceStart ?? null,
    };
    const isUnchanged = hunk.lines.every((line) => line[0] === " ");
    if (cut && (hunk.lines.at(-1)![0] === "-" || isUnchanged || !this.envelope.complete)) {
      throw new PatchError("the patch ends within a hunk, without '*** End Patch': it may have been cut off; send it again whole, with that as its last line.", body.at(-1)! + 1);
    }
    return hunk;
  }

  /** The lines of a hunk. Empty ones at its ends are stray: models that write one write them everywhere. */
  private body(given: readonly number[], patchLine: number): Hunk {
    const [lines, unmarked]: [string[], number[]] = [[], []];
    let [endOfFile, targetNoNewline] = [false, false];
    for (const n of this.withoutEmptyEnds(given)) {
      const line = this.lines[n]!;
      if (/^[-+ ]/.test(line) && !endOfFile) {
        if (line[0] !== "-") targetNoNewline = false;
        lines.push(line);
      } else if (LOOSE_EOF.test(line)) endOfFile = true;
      else if (NO_NEWLINE.test(line)) targetNoNewline ||= lines.at(-1)?.[0] === "+";
      else if (endOfFile && !isBlank(line)) {
        throw new PatchError("a line follows the end of the file: put it above '*** End of File'.", n + 1);
      } else if (line.startsWith("*** ")) {
        throw new PatchError(`${JSON.stringify(line)} is neither a header nor a line of a hunk: begin lines of hunks with a blank, + or -.`, n + 1);
      } else if (!endOfFile) {
        unmarked.push(lines.length);
        lines.push(` ${line}`);
      }
    }
    if (lines.length === 0) throw new PatchError(NO_LINES, patchLine);
    return hunkOf(lines, patchLine, { endOfFile, targetNoNewline, unmarked });
  }

  /** The lines of a hunk without the empty ones at its ends. Above a hunk that only adds lines, they stay. */
  private withoutEmptyEnds(body: readonly number[]): readonly number[] {
    const first = body.findIndex((n) => this.lines[n] !== "");
    const end = body.findLastIndex((n) => this.lines[n] !== "") + 1;
    const onlyAdds = body.slice(first, end).every((n) => ["+", ""].includes(this.lines[n]!.slice(0, 1)));
    return body.slice(onlyAdds ? 0 : first, end);
  }
}

const range = (first: number, end: number): number[] => Array.from({ length: Math.max(end - first, 0) }, (_, k) => first + k);
