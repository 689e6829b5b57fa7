/** Reading unified diffs by the counts of their hunk headers. */

import { beginsWith, isBlank, withoutCr } from "../../text.js";
import { type FilePatch, type Hunk, PatchError, hunkOf } from "../../types.js";
import { changes } from "../placing/policy.js";
import { beginsHeader, isPiece, isSignature } from "./cut_off.js";
import { DiffFile, NO_FILE, checkText, takeHeader } from "./file_headers.js";
import { type NamesMatched, sectionOf } from "./file_names.js";

const HUNK = /^@@ -(\d{1,99})(?:,(\d{1,99}))? \+(\d{1,99})(?:,(\d{1,99}))? @@(?: ?([^]*))?$/;
export const LOOSE_NUMBERS = /-(\d{1,99})(?:,(\d{1,99}))? *\+(\d{1,99})(?:,(\d{1,99}))?/;
export const NO_NEWLINE = /^\\ ?No newline/;
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\]|~\/)/;

export interface Parsed {
  readonly sections: readonly FilePatch[];
  /** Whether the diff changes only file modes, which texts do not show. */
  readonly onlyMetadata: boolean;
  /** Whether no line outside of hunks looks like a hunk's or a header's, and no new file has an absolute name. */
  readonly isPlain: boolean;
}

/** Reads a diff whose hunks are as long as their headers say. Prose around it is skipped. */
export function parseCounted(text: string, names: NamesMatched): Parsed {
  const lines = text.split("\n");
  const isComplete = lines.at(-1) === "";
  if (isComplete) lines.pop();
  const files: DiffFile[] = [];
  let isPlain = true;
  for (let n = 0; n < lines.length; n++) {
    const [line, file] = [lines[n]!, files.at(-1)];
    checkText(files, line, n + 1);
    if (line.startsWith("diff --git ")) files.push(DiffFile.ofGit(line, n + 1));
    else if (beginsFile(lines, n)) {
      if (file === undefined || file.old !== null || file.hunks.length > 0) files.push(new DiffFile(n + 1));
      files.at(-1)!.takeName("old", line.slice(4));
      files.at(-1)!.takeName("new", lines[++n]!.slice(4));
    } else if (file?.beginsByGit && file.hunks.length === 0 && takeHeader(file, withoutCr(line))) continue;
    else if (line.startsWith("@@")) {
      if (file === undefined) throw new PatchError(NO_FILE, n + 1);
      const [hunk, end] = countedHunk(lines, n);
      file.hunks.push(hunk);
      // Lines below the counted ones that look like context may show where the hunk belongs.
      isPlain &&= end === lines.length || !lines[end]!.startsWith(" ") || isBlank(lines[end]!);
      n = end - 1;
    } else {
      if (file && file.old !== null && file.hunks.length === 0 && beginsWith(line, ["+", "-", " @@"])) {
        // Passed over as prose, it would be lost, and the hunks below it applied without it.
        throw new PatchError("there is no @@ line above this line of a hunk: put one there.", n + 1);
      }
      isPlain &&= !isPiece(line) && (isComplete || n + 1 < lines.length || !beginsHeader(line));
    }
  }
  const sections = files.map((file) => sectionOf(file, names));
  const isAbsolute = files.some((file, n) => sections[n]!.action === "add" && [file.new, ...(file.git ?? [])].some((name) => name && ABSOLUTE.test(name)));
  return parsedDiff(sections, files, isPlain && !isAbsolute);
}

/** The hunk whose header is the 0-based line n, and the index of the line after it. */
function countedHunk(lines: readonly string[], n: number): [Hunk, number] {
  const match = HUNK.exec(withoutCr(lines[n]!));
  if (!match) throw new PatchError(`${JSON.stringify(lines[n])} is no hunk header: '@@ -START,LENGTH +START,LENGTH @@'.`, n + 1);
  const [sourceStart, targetStart] = [Number(match[1]), Number(match[3])];
  const [sourceLength, targetLength] = lengths(match[2], match[4]);
  let [leftOld, leftNew] = [sourceLength, targetLength];
  let [sourceNoNewline, targetNoNewline] = [false, false];
  const body: string[] = [];
  let at = n + 1;
  for (; at < lines.length; at++) {
    let line = lines[at] || " ";
    if (line.startsWith("\\ ")) {
      const mark = body.at(-1)?.[0] ?? "";
      sourceNoNewline ||= mark !== "+";
      targetNoNewline ||= mark !== "-";
      if (!targetNoNewline || body.length === 0 || leftNew === 0) continue;
      throw new PatchError("the marker of a missing line feed is above the end of the hunk.", at + 1);
    }
    if (leftOld === 0 && leftNew === 0) {
      if (line[0] === "\\") throw new PatchError(`unexpected line below a hunk: ${JSON.stringify(line)}.`, at + 1);
      break;
    }
    if (line === "\r") line = " \r";
    if (!" +-".includes(line[0]!)) {
      throw new PatchError(`unexpected line in a hunk: ${JSON.stringify(line)}. It must begin with a blank, + or -.`, at + 1);
    }
    body.push(line);
    if (line[0] !== "+") leftOld--;
    if (line[0] !== "-") leftNew--;
    if (leftOld < 0 || leftNew < 0) throw new PatchError("the hunk is not as long as its header says.", n + 1);
  }
  if (leftOld > 0 || leftNew > 0) throw new PatchError("the hunk is shorter than its header says.", n + 1);
  if (sourceLength + targetLength === 2 * body.length) throw new PatchError("the hunk changes nothing.", n + 1);
  if (isLonger(lines, at)) throw new PatchError("the hunk is longer than its header says.", n + 1);
  const numbers = { sourceStart, sourceLength, targetStart, targetLength };
  return [hunkOf(body, n + 1, { ...numbers, sourceNoNewline, targetNoNewline }), at];
}

function isLonger(lines: readonly string[], from: number): boolean {
  for (let n = from; n < lines.length && /^[-+ ]/.test(lines[n]!) && !beginsFile(lines, n); n++) {
    if (lines[n]![0] !== " " && !isSignature(lines, n)) return true;
  }
  return false;
}

export const beginsFile = (lines: readonly string[], n: number): boolean =>
  lines[n]!.startsWith("--- ") && lines[n + 1]?.startsWith("+++ ") === true;

const HUGE = 2n ** 40n;

/** The two counts of a hunk header. Counts beyond every file keep their difference, which a double would round away. */
export function lengths(source: string | undefined, target: string | undefined): [number, number] {
  const found = [source, target].map((text) => BigInt(text ?? 1)) as [bigint, bigint];
  const least = found[0] < found[1] ? found[0] : found[1];
  const beyond = least > HUGE ? least - HUGE : 0n;
  return [Number(found[0] - beyond), Number(found[1] - beyond)];
}

/** The diff of the sections that change something. Throws if none does. */
export function parsedDiff(sections: readonly FilePatch[], files: readonly DiffFile[], isPlain = true): Parsed {
  const changing = sections.filter((section) => !changesNothing(section));
  if (changing.length < sections.length) {
    const empty = sections.findIndex((section, n) => changesNothing(section) && !files[n]!.modeChanged);
    if (empty >= 0) {
      throw new PatchError(`there is no hunk that changes ${sections[empty]!.path}: '@@' begins one, - and + mark the changes.`, files[empty]!.line);
    }
  }
  const onlyMetadata = sections.length > 0 && changing.length === 0;
  return { sections: onlyMetadata ? sections : changing, onlyMetadata, isPlain };
}

const changesNothing = (section: FilePatch): boolean =>
  section.action === "update" && section.moveTo === null && !section.hunks.some(changes);
