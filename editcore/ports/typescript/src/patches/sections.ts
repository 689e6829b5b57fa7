/**
 * Applying the sections of a parsed patch, an envelope or a unified diff, to files.
 *
 * A patch is applied as a whole or not at all. Context lines stay as the file has them, and so do lines that one change
 * removes and adds. Added lines get the line ending of their neighbours. The file keeps its last line feed, or the lack
 * of one, unless the patch says otherwise. A patch that changes nothing is refused.
 */

import { lineFeeds } from "../file.js";
import { partners } from "../merge.js";
import { folders, normalPath } from "../paths.js";
import { withoutCr } from "../text.js";
import { type FilePatch, type Files, PatchError, newOf, oldOf } from "../types.js";
import { place } from "./placing/place_by_content.js";
import type { Placed, Policy } from "./placing/policy.js";
import { NO_SECTIONS } from "./reading/envelope.js";

/** Sections that a patch may have for one file: each reads and writes the whole file. */
const MAX_SECTIONS = 100;

/** Called with the path and the 0-based line of each hunk that was placed. */
type Landed = (path: string, line: number) => void;
const IGNORED: Landed = () => {};

/** Applies sections in order, each to the result of the previous ones; returns the files afterwards. */
export function applySections(files: Files, sections: readonly FilePatch[], policy: Policy, landed = IGNORED): Files {
  if (sections.length === 0) throw new PatchError(policy.isDiff ? "the patch has no hunks: '@@' begins one." : NO_SECTIONS, 1);
  checkNumber(sections);
  const [after, emptied] = [new Map(files), new Set<string>()];
  for (const section of sections) {
    const known = after.get(section.path);
    const isChanged = files.has(section.path) && known !== undefined && known !== files.get(section.path);
    try {
      apply(after, section, policy, emptied, landed);
    } catch (error) {
      const isMisplaced = isChanged && error instanceof PatchError && ["no_match", "ambiguous"].includes(error.reason);
      throw isMisplaced ? ofTheFile(error, files, section, policy) : error;
    }
  }
  const isSame = after.size === files.size && [...after].every(([path, text]) => files.get(path) === text);
  if (isSame && !policy.mayChangeNothing) throw new PatchError("the patch changes nothing: - and + mark what does.", 1, "identical");
  checkTree(after, files, sections);
  return after;
}

/** The error of a section with lines of the file as it is, not of the result of the previous sections. */
function ofTheFile(error: PatchError, files: Files, section: FilePatch, policy: Policy): PatchError {
  try {
    apply(new Map(files), section, policy, new Set(), IGNORED);
  } catch (alone) {
    if (!(alone instanceof PatchError)) throw alone;
    if (alone.reason === error.reason) return alone;
    return new PatchError(`${error.message} Lines are counted in what the sections before it leave.`, null, error.reason);
  }
  const message = `the hunks fit ${section.path} as it is, but not what the sections before them leave: join the sections.`;
  return new PatchError(message, section.patchLine, error.reason);
}

function checkNumber(sections: readonly FilePatch[]): void {
  const seen = new Map<string, number>();
  for (const { path, patchLine } of sections) {
    const n = (seen.get(path) ?? 0) + 1;
    seen.set(path, n);
    if (n > MAX_SECTIONS) throw new PatchError(`${path} has more than ${MAX_SECTIONS} sections: join their hunks in one.`, patchLine, "too_large");
  }
}

/** Throws if an added file would also be a directory, or would be below a file. */
function checkTree(after: Files, before: Files, sections: readonly FilePatch[]): void {
  const added = new Set([...after.keys()].filter((path) => !before.has(path)));
  for (const path of added.size > 0 ? after.keys() : []) {
    const above = folders(path).find((one) => after.has(one) && (added.has(one) || added.has(path)));
    if (above === undefined) continue;
    const made = added.has(path) ? path : above;
    const section = sections.findLast((one) => normalPath(one.moveTo ?? one.path) === made);
    throw new PatchError(`${above} can't be a file and hold ${path} at once.`, section?.patchLine ?? 1, "not_allowed");
  }
}

/** The normalised path. Throws if it leaves the root of the files. */
function inside(path: string, line: number): string {
  const clean = normalPath(path);
  if (clean === null) throw new PatchError(`${JSON.stringify(path)} is not a path inside the files: give a relative one.`, line, "outside_workspace");
  return clean;
}

/** Applies one section. `emptied`: the files of CRLF lines that previous sections emptied or deleted. */
function apply(files: Map<string, string>, section: FilePatch, policy: Policy, emptied: Set<string>, landed: Landed): void {
  const { action, patchLine } = section;
  const path = inside(section.path, patchLine);
  const before = files.get(path);
  if (action === "add") {
    if (before !== undefined) throw new PatchError(`${path} exists already: update it instead of adding it.`, patchLine, "not_allowed");
    files.set(path, emptied.has(path) ? withCrlf(added(section)) : added(section));
    emptied.delete(path);
    return;
  }
  if (before === undefined) {
    const onlyAdds = !policy.isDiff && section.hunks.length > 0 && !section.hunks.some((one) => oldOf(one).length > 0);
    const add = onlyAdds ? `, or add it with '*** Add File: ${path}'` : "";
    throw new PatchError(`There is no file ${path}: give the path of one that exists${add}.`, patchLine, "not_found");
  }
  const isCrlf = policy.placing !== null && firstIsCrlf(before);
  if (action === "delete") {
    if ((section.hunks.length > 0 || policy.isDiff) && updated(before, section, policy, landed) !== "") {
      throw new PatchError(`${path} has lines that the deletion does not name.`, patchLine, "no_match");
    }
    if (isCrlf) emptied.add(path);
    files.delete(path);
    return;
  }
  const target = targetOf(files, path, section);
  checkFilled(before, section);
  let text = updated(before, section, policy, landed);
  files.delete(path);
  if (emptied.has(path)) text = withCrlf(text);
  if (text === "" && policy.placing !== null && (emptied.has(path) || isCrlf)) emptied.add(target);
  if (text !== "" || target !== path) emptied.delete(path);
  files.set(target, text);
}

const withCrlf = (text: string): string => lineFeeds(text).replaceAll("\n", "\r\n");
const firstIsCrlf = (text: string): boolean => text[text.indexOf("\n") - 1] === "\r";

/** Throws if the only hunk fills an empty file, by its numbers, and the file has text. */
function checkFilled(text: string, section: FilePatch): void {
  const hunk = section.hunks.length === 1 ? section.hunks[0]! : null;
  if (text === "" || hunk === null || hunk.sourceStart !== 0 || oldOf(hunk).length > 0) return;
  throw new PatchError(`by its numbers the hunk fills an empty file, but ${section.path} has text: give lines of context.`, hunk.patchLine, "no_match");
}

/** The path of an updated file afterwards. Throws if another file has it. */
function targetOf(files: Files, path: string, section: FilePatch): string {
  const target = section.moveTo === null ? path : inside(section.moveTo, section.patchLine);
  if (target !== path && files.has(target)) {
    throw new PatchError(`${target} exists already: ${path} is not moved over it.`, section.patchLine, "not_allowed");
  }
  return target;
}

function added(section: FilePatch): string {
  const lines = section.hunks.flatMap((hunk) => hunk.lines.map((line) => line.slice(1)));
  return lines.length === 0 ? "" : lines.join("\n") + (section.hunks.at(-1)!.targetNoNewline ? "" : "\n");
}

/** The text with the hunks of an update applied. */
function updated(text: string, section: FilePatch, policy: Policy, landed: Landed): string {
  const [isByNumber, lines] = [policy.placing === null, text.split("\n")];
  const hasLastNewline = lines.at(-1) === "";
  if (hasLastNewline) lines.pop();
  let placed = place(lines, hasLastNewline, section, policy).map((found) => withEnd(found, section, lines.length, isByNumber));
  for (const { line } of placed) landed(section.path, line);
  // By number, the last line is compared as it is, as git and GNU patch do.
  if (!isByNumber && !hasLastNewline) placed = placed.map((found) => unterminated(found, lines.length));
  const out: string[] = [];
  let done = 0;
  // Insertions go above the lines that another hunk replaces at the same line.
  for (const found of placed.toSorted((one, other) => one.line - other.line || one.nOld - other.nOld)) {
    while (done < found.line) out.push(lines[done++]!);
    done = found.line;
    for (const line of hunkLines(lines, out.at(-1), found)) out.push(line);
    done += found.nOld;
  }
  while (done < lines.length) out.push(lines[done++]!);
  let keeps = hasLastNewline || lines.length === 0 || (policy.isDiff && !isByNumber && endsInAppended(lines, placed));
  for (const { hunk } of placed) keeps = hunk.targetNoNewline ? false : hunk.sourceNoNewline || keeps;
  if (lines.length > 0 && !hasLastNewline && lines[0]!.endsWith("\r")) endLikeTheFile(out, placed, lines.length, keeps);
  const isHalf = hasLastNewline || lines.length === 0 || !lines.at(-1)!.endsWith("\r");
  // Half of a CRLF, as the last line has no ending.
  if (out.length > 0 && lines.length > 0 && !keeps && !isByNumber && isHalf) out.push(withoutCr(out.pop()!));
  return out.join("\n") + (out.length > 0 && keeps ? "\n" : "");
}

/** The hunk; not exact if it matched only a last line without an ending, which does not show the line ending. */
function unterminated(found: Placed, nLines: number): Placed {
  const isAlone = found.equality === "exact" && found.nOld === 1 && found.line + 1 === nLines && nLines > 1;
  return isAlone ? { ...found, equality: "line_endings" } : found;
}

/** Gives the file's line ending to lines added below a last line that had none, and to that line. */
function endLikeTheFile(out: string[], placed: readonly Placed[], nLines: number, keeps: boolean): void {
  for (const { hunk, line, nOld, equality } of placed) {
    if (line + nOld !== nLines || (equality === "exact" && nOld > 0)) continue;
    const nAdded = hunk.lines.length - 1 - hunk.lines.findLastIndex((one) => one[0] !== "+");
    const end = keeps ? out.length : out.length - 1;
    for (let n = Math.max(out.length - 1 - nAdded, 0); n < end; n++) out[n] = `${withoutCr(out[n]!)}\r`;
  }
}

/** The hunk. Its marker of a missing final line feed counts only at the end of the file. */
function withEnd(found: Placed, section: FilePatch, nLines: number, isByNumber: boolean): Placed {
  if (!found.hunk.targetNoNewline || found.line + found.nOld === nLines) return found;
  if (isByNumber) throw new PatchError(`the hunk says that ${section.path} ends below it without a line feed, but it goes on.`, found.hunk.patchLine, "no_match");
  return { ...found, hunk: { ...found.hunk, targetNoNewline: false } };
}

/** Whether the last line of the result was added below the file's last line, and does not replace it. */
function endsInAppended(lines: readonly string[], placed: readonly Placed[]): boolean {
  return placed.some(({ hunk, line, nOld }) => {
    const lastOld = hunk.lines.findLast((one) => one[0] !== "+") ?? " ";
    return line + nOld === lines.length && hunk.lines.at(-1)?.[0] === "+" && lastOld[0] === " ";
  });
}

function hunkLines(lines: readonly string[], above: string | undefined, { hunk, line, nOld, equality }: Placed): string[] {
  if (equality === "exact" && nOld > 0) return newOf(hunk);
  const there = new Map<number, string>();
  hunk.lines.forEach((one, n) => one[0] !== "+" && there.set(n, lines[line + there.size]!));
  const [putBack, out]: [ReadonlyMap<number, number>, string[]] = [putBackOf(hunk.lines), []];
  hunk.lines.forEach((one, n) => {
    const kept = one[0] === " " ? n : putBack.get(n);
    if (kept !== undefined) out.push(there.get(kept)!);
    else if (one[0] === "+") {
      const neighbour = out.at(-1) ?? above ?? lines[0]!;
      out.push(lines.length === 0 ? one.slice(1) : withoutCr(one.slice(1)) + (neighbour.endsWith("\r") ? "\r" : ""));
    }
  });
  return out;
}

/** Index of an added line -> index of the equal line that the same change removes. The file's own line stays. */
function putBackOf(hunk: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  for (let first = 0; first < hunk.length; ) {
    let end = first;
    while (end < hunk.length && hunk[end]![0] !== " ") end++;
    const change = Array.from({ length: end - first }, (_, k) => first + k);
    const [old, now] = ["-", "+"].map((sign) => change.filter((n) => hunk[n]![0] === sign)) as [number[], number[]];
    const texts = (some: readonly number[]): string[] => some.map((n) => hunk[n]!.slice(1));
    partners(texts(old), texts(now)).forEach((one, k) => one !== null && found.set(now[k]!, old[one]!));
    first = end + 1;
  }
  return found;
}
