/** Reading unified diffs as models write them. */

import {
  SPACE, beginsWith, isBlank, nFirst, stripped, strippedEnd, strippedStart, withoutCr,
} from "../../text.js";
import { type FilePatch, type Hunk, PatchError, hunkOf } from "../../types.js";
import { NO_LINES, type Numbers, beginsHeader, checkHead, checkWhole, isSignature } from "./cut_off.js";
import { DiffFile, NO_FILE, NO_NAME, NULL, checkText, takeHeader, unquoted } from "./file_headers.js";
import { NamesMatched, sectionOf, standsFor } from "./file_names.js";
import { LOOSE_NUMBERS, NO_NEWLINE, type Parsed, beginsFile, lengths, parsedDiff } from "./unified_strict.js";
import { unwrapped } from "./unwrapping.js";

/** Reads a diff as a model may write it: numbers are hints, and names are matched with the existing paths. */
export const parseTolerant = (text: string, paths: ReadonlySet<string>): Parsed =>
  new TolerantReader(text, paths, false).parsed();

/**
 * Reads a diff whose hunks end where their counts are met, above text that is no hunk's; null without such text.
 *
 *      end of the hunk, its counts are met
 *     EOF
 *     )
 */
export function parseAboveTails(text: string, paths: ReadonlySet<string>): Parsed | null {
  const reader = new TolerantReader(text, paths, true);
  const parsed = reader.parsed();
  return reader.hasTails ? parsed : null;
}

/** A line of a hunk that is neither an item of a list nor a rule in prose. */
const STRAY = new RegExp(`^[-+](?! [^${SPACE}]|[-+ ]*$)`);
/** The beginning of a line that may belong to a hunk. Prose has items of lists, and rules. */
const OF_HUNK = new RegExp(`^(?: |\\+|\\\\|-(?! [^${SPACE}]|--+ *$))`);
const QUOTE = /^[>|] ?/;
/** Beginnings of lines of a diff, the best ones first. */
const SIGNS = [/(?<![^\n])\t*@@/, /(?<![^\n])\t*\+\+\+ /];
const INDENTED_HEADER = /^[ \t]+@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const HEADERS = ["diff --git ", "--- ", "+++ ", "@@"];

/** Reads a diff, and everything around and in it that can mean one thing only. */
class TolerantReader {
  hasTails = false;
  private readonly names: NamesMatched;
  private readonly complete: boolean;
  private readonly lines: string[];
  /** The 0-based last line, if the text ends within a header; else -1. */
  private readonly cutOff: number;
  /** Lines that may be indented headers of hunks. */
  private readonly indented: ReadonlySet<number>;
  /** The last line that is not blank, the last header and the last change; -1 for none. */
  private readonly last: number;
  private readonly lastHeader: number;
  private readonly lastChange: number;

  constructor(given: string, private readonly paths: ReadonlySet<string>, private readonly byCounts: boolean) {
    const text = unwrapped(given, SIGNS);
    this.names = new NamesMatched(paths);
    this.complete = text.endsWith("\n");
    let lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n");
    if (lines.at(-1) === "") lines.pop();
    // If a header has none, the carriage returns belong to the file's lines.
    const headers = lines.filter((line) => beginsWith(line, ["@@", "--- ", "+++ ", "diff "]));
    if (headers.length > 0 && headers.every((line) => line.endsWith("\r"))) lines = lines.map(withoutCr);
    this.lines = lines = unquotedLines(lines);
    this.cutOff = !this.complete && lines.length > 0 && beginsHeader(lines.at(-1)!) ? lines.length - 1 : -1;
    this.indented = new Set(lines.flatMap((line, n) => (INDENTED_HEADER.test(line) ? [n] : [])));
    this.last = lines.findLastIndex((line) => !isBlank(line));
    this.lastHeader = lines.findLastIndex((line) => line.startsWith("@@"));
    this.lastChange = lines.findLastIndex((line) => /^[-+]/.test(line));
  }

  parsed(): Parsed {
    const files: DiffFile[] = [];
    let read = 0;
    for (let n = 0; n < this.lines.length; ) {
      const [line, file] = [withoutCr(this.lines[n]!), files.at(-1)];
      const isOpen = file !== undefined && file.hunks.length === 0;
      if (this.isNameless(n)) {
        checkHead(this.lines, read, n);
        if (!(isOpen && file.beginsByGit)) files.push(new DiffFile(n + 1));
        [files.at(-1)!.old, files.at(-1)!.new] = ["", ""];
        n = read = n + 2;
        continue;
      }
      if (beginsWith(line, HEADERS)) {
        checkHead(this.lines, read, n);
        read = n + 1;
      }
      checkText(files, line, n + 1);
      if (line.startsWith("diff --git ")) files.push(DiffFile.ofGit(line, n + 1));
      else if (line.startsWith("--- ") && !isBlank(line.slice(4))) {
        if (!(isOpen && file.beginsByGit && file.old === null)) files.push(new DiffFile(n + 1));
        files.at(-1)!.takeName("old", line.slice(4));
      } else if (line.startsWith("+++ ") && !isBlank(line.slice(4))) {
        if (!isOpen || file.new !== null) files.push(new DiffFile(n + 1));
        files.at(-1)!.takeName("new", line.slice(4));
      } else if (line.startsWith("@@")) {
        if (n > 0 && stripped(this.lines[n - 1]!) === "+++" && !(n > 1 && this.isNameless(n - 2))) {
          throw new PatchError("the header above the hunk names no file: '+++ b/PATH'.", n);
        }
        if (file === undefined) files.push(new DiffFile(n + 1));
        n = read = this.hunk(n, files.at(-1)!);
        continue;
      } else if (isOpen && takeHeader(file, line)) {
        // Read.
      } else if (isOpen && file.isNamed && /^[-+ ]/.test(line) && !isBlank(line)) {
        if (this.indented.has(n) && line !== strippedStart(line)) {
          this.lines[n] = strippedStart(line);
          continue;
        }
        if (file.new === null || !this.lines[n - 1]!.startsWith("+++ ")) throw noHeader(n + 1);
        n = read = this.hunk(n - 1, file, "");
        continue;
      } else if (n === this.cutOff) {
        throw new PatchError("the patch was cut off within a header: send it again whole, or without this line.", n + 1);
      } else if (file !== undefined && STRAY.test(line)) {
        throw new PatchError(`${JSON.stringify(line)} stands outside of the hunks: '@@' begins one.`, n + 1);
      }
      n++;
    }
    return this.merged(files);
  }

  private merged(files: readonly DiffFile[]): Parsed {
    if (files.length === 0) throw new PatchError("there is no hunk in the patch: '@@' begins one.", 1);
    const found: { file: DiffFile; section: FilePatch; hunks: Hunk[] }[] = [];
    for (const file of files) {
      const section = this.resolved(file);
      const last = found.at(-1);
      const isUpdate = last?.section.action === "update" && section.action === "update" && section.moveTo === null;
      if (isUpdate && last.section.path === section.path) for (const one of section.hunks) last.hunks.push(one);
      else found.push({ file, section, hunks: [...section.hunks] });
    }
    return parsedDiff(found.map(({ section, hunks }) => ({ ...section, hunks })), found.map(({ file }) => file));
  }

  /** Whether `---` and `+++` without names are right above a hunk, as programs write them for two texts. */
  private isNameless(n: number): boolean {
    const [one, other, below] = this.lines.slice(n, n + 3);
    if (below === undefined || !below.startsWith("@@")) return false;
    return strippedEnd(one!) === "---" && strippedEnd(other!) === "+++";
  }

  private resolved(file: DiffFile): FilePatch {
    const only = this.paths.size === 1 ? [...this.paths][0]! : null;
    if (!file.isNamed) {
      if (only === null || file.beginsByGit) throw new PatchError(NO_FILE, file.line);
      return { action: "update", path: only, patchLine: file.line, moveTo: null, hunks: file.hunks };
    }
    if (!file.git && file.renameFrom === null && (file.old === null || file.new === null)) {
      file.old ??= file.new;
      file.new ??= file.old;
      if (file.old === NULL) throw new PatchError(NO_NAME, file.line);
    }
    const section = this.sectionOfOnly(file, only) ?? sectionOf(file, this.names);
    if (section.action === "add" || this.paths.has(section.path)) return section;
    if (section.moveTo === null && isAllAdded(section)) {
      const name = file.new || (file.git ? file.git[1] : section.path);
      return { ...section, action: "add", path: this.names.created(file, name) };
    }
    throw new PatchError(`There is no file ${section.path}: give the path of one that exists.`, section.patchLine, "not_found");
  }

  /** The section for the only file that the diff may be for, if the headers have placeholders for its name. */
  private sectionOfOnly(file: DiffFile, only: string | null): FilePatch | null {
    const [old, now] = [file.sideName("old"), file.sideName("new")];
    const names = [...(file.git ?? []), old, now].filter((name) => name !== null && name !== NULL) as string[];
    if (only === null || file.renameTo || file.copied || file.deleted || now === NULL) return null;
    if (names.some((name) => (name !== "" && this.names.known(name)) || !standsFor(name, only))) return null;
    if (old === NULL || file.created) return null;
    return { action: "update", path: only, patchLine: file.line, moveTo: null, hunks: file.hunks };
  }

  /** Reads the hunk below the 0-based line n, its header unless one is given; returns the index of the line after it. */
  private hunk(n: number, file: DiffFile, given?: string): number {
    const at = given === undefined ? n + 1 : n + 2;
    const header = given ?? withoutCr(this.lines[n]!);
    const parts = header.split("@@");
    const numbers = LOOSE_NUMBERS.exec(parts.length > 2 ? parts[1]! : header.slice(2));
    const counts: Numbers | null = numbers && lengths(numbers[2], numbers[4]);
    const starts: Numbers | null = numbers && [Number(numbers[1]), Number(numbers[3])];
    const { body, unmarked, sourceNoNewline, targetNoNewline, end } = this.marked(n + 1, counts, file);
    if (body.length === 0) throw new PatchError(NO_LINES, at);
    const [nOld, nNew] = ["+", "-"].map((mark) => body.filter((line) => line[0] !== mark).length) as [number, number];
    const isUnchanged = nOld === body.length && nNew === body.length;
    if (header === "" && isUnchanged) throw noHeader(at);
    if (counts === null || counts[0] !== nOld || counts[1] !== nNew) {
      checkWhole(body, counts, starts, { atEnd: end > this.last, isLastHunk: n === this.lastHeader, complete: this.complete }, at);
    }
    if (isUnchanged && counts !== null && Math.min(...counts) < body.length && Math.max(...counts) === body.length) {
      throw new PatchError("the hunk marks no change, but its header says that there is one: mark it with - and +.", n + 1);
    }
    const anchor = stripped(parts.slice(2).join("@@"));
    file.hunks.push(
      hunkOf(body, at, {
        anchors: anchor !== "" && !numbers ? [anchor] : [],
        sourceStart: starts?.[0] ?? null, sourceLength: counts?.[0] ?? null,
        targetStart: starts?.[1] ?? null, targetLength: counts?.[1] ?? null,
        sourceNoNewline, targetNoNewline, closed: this.complete || end <= this.last,
        unmarked: unmarked.filter((one) => one < body.length),
      }),
    );
    return end;
  }

  /** The lines of a hunk from line n on with their marks, those without a mark, missing line feeds, the line after it. */
  private marked(n: number, counts: Numbers | null, file: DiffFile) {
    const [body, unmarked]: [string[], number[]] = [[], []];
    let [sourceNoNewline, targetNoNewline, isBelowContext, end] = [false, false, false, n];
    for (const [at, line] of this.body(n, counts, file)) {
      end = at + 1;
      if (line[0] === "\\" && NO_NEWLINE.test(line)) {
        const mark = body.at(-1)?.[0] ?? "";
        isBelowContext = mark === " ";
        sourceNoNewline ||= mark === " " || mark === "-";
        targetNoNewline ||= mark === " " || mark === "+";
        continue;
      }
      if (isBelowContext || (targetNoNewline && line[0] !== "-")) {
        sourceNoNewline &&= !isBelowContext;
        targetNoNewline = isBelowContext = false;
      }
      if (this.lines[at]!.slice(0, 1) !== line[0]) unmarked.push(body.length);
      body.push(line);
    }
    while (body.at(-1) === " " && this.lines[end - 1] === "") {
      // A blank line after the hunk is not context.
      body.pop();
      end--;
    }
    return { body, unmarked, sourceNoNewline, targetNoNewline, end };
  }

  /** The lines of a hunk from line n on. A missing space in front is restored. */
  private *body(from: number, counts: Numbers | null, file: DiffFile): Generator<[number, string]> {
    let [leftOld, leftNew] = counts ?? [0, 0];
    for (let n = from; n < this.lines.length; n++) {
      let line = this.lines[n]!;
      if (this.byCounts && counts !== null && leftOld === 0 && leftNew === 0 && this.isTail(n)) {
        this.hasTails = true;
        return;
      }
      if (this.endsHunk(n, leftOld > 0 && leftNew > 0, leftOld > 0)) return;
      if (this.beginsNextFile(n, file)) {
        if (leftOld !== 0 || leftNew !== 1) return;
        throw new PatchError("by the counts this is an added line, else the header of a file: correct the counts.", n + 1);
      }
      if (this.indented.has(n) && Math.max(leftOld, leftNew) <= 0) {
        this.lines[n] = strippedStart(line);
        return;
      }
      if (!/^[-+ ]/.test(line) && !NO_NEWLINE.test(line)) {
        if (!isBlank(line) && counts === null && !/^[\t\\]/.test(line) && n > this.lastChange) return; // Prose below it.
        line = ` ${line}`;
      }
      yield [n, line];
      if (" -".includes(line[0]!)) leftOld--;
      if (" +".includes(line[0]!)) leftNew--;
    }
  }

  /** Whether a line ends the hunk. By its counts it may go on (`within`), or lacks a removed line (`removes`). */
  private endsHunk(n: number, within: boolean, removes: boolean): boolean {
    const line = this.lines[n]!;
    if (beginsWith(line, ["@@", "diff --git ", "```", "~~~"])) return true;
    // A removed line '-- x' followed by an added '++ y' looks the same; the counts decide.
    if (beginsFile(this.lines, n)) return !within || this.lines[n + 2]?.startsWith("@@") === true;
    return (n === this.cutOff && !within) || (!removes && isSignature(this.lines, n));
  }

  /** Whether the lines from line n down to the next header are text below a hunk, and no lines of it. */
  private isTail(n: number): boolean {
    if (beginsWith(this.lines[n]!, HEADERS)) return false;
    for (let at = n; at < this.lines.length && !beginsWith(this.lines[at]!, HEADERS); at++) {
      if (!isBlank(this.lines[at]!) && OF_HUNK.test(this.lines[at]!)) return false;
    }
    return true;
  }

  /** Whether a `+++` line between hunks is the only header of the next file, and not an added line. */
  private beginsNextFile(n: number, file: DiffFile): boolean {
    const [line, below] = [this.lines[n]!, this.lines[n + 1]];
    if (!line.startsWith("+++ ") || isBlank(line.slice(4)) || below === undefined || !below.startsWith("@@")) return false;
    return file.old === null || this.names.known(unquoted(line.slice(4))) !== null;
  }
}

/** The lines without a quotation mark or an indentation in front of every line of the diff. */
function unquotedLines(lines: string[]): string[] {
  if (lines.some((line) => beginsWith(line, ["@@", "--- "]))) return lines;
  const full = lines.filter((line) => !isBlank(line));
  if (full.length > 0 && full.every((line) => QUOTE.test(line))) return lines.map((line) => line.replace(QUOTE, ""));
  const first = lines.find((line) => beginsWith(strippedStart(line), ["@@", "--- ", "diff --git "])) ?? "";
  const before = first.slice(0, first.length - strippedStart(first).length);
  return before !== "" && full.every((line) => line.startsWith(before)) ? lines.map((line) => line.slice(before.length)) : lines;
}

/** Whether the hunks write a whole new file: `@@ -0,0 +1,n @@` and added lines only. */
const isAllAdded = (section: FilePatch): boolean =>
  section.hunks.length > 0 &&
  section.hunks.every((hunk) => hunk.sourceStart === 0 && nFirst(hunk.lines, (line) => line[0] === "+") === hunk.lines.length);

const noHeader = (line: number): PatchError => new PatchError("there is no @@ line before the lines of a hunk: put one there.", line);
