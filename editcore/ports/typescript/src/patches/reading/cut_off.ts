/** Lines that show that a part of a patch was lost. */

import { normalPath } from "../../paths.js";
import { beginsWith, count, nFirst, strippedEnd } from "../../text.js";
import { type FilePatch, type Files, PatchError } from "../../types.js";
import { mayBeCutOff } from "../placing/refusals.js";

export const NO_LINES = "an @@ line is followed by no lines: send those of its hunk, or leave it out.";
const BRACKETS = ["()", "[]", "{}"] as const;
const QUOTES = ["\"", "'", "`"];
const PIECE = /^(?:\+|-(?! [^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|[-+ ]+$))/;
const CONFLICT = /^\+(<{7}|>{7})(?: |\r?$)/;
const ENDS_IN_LETTER = /[\p{L}\p{N}]$/u;

export type Numbers = readonly [old: number, now: number];
export interface Ending {
  /** Whether only blank lines follow the hunk. */
  readonly atEnd: boolean;
  readonly isLastHunk: boolean;
  /** Whether the patch ends in a line feed. */
  readonly complete: boolean;
}

/** Throws for a hunk that may have been cut off. `counts` and `starts` are the numbers of its header. */
export function checkWhole(
  body: readonly string[], counts: Numbers | null, starts: Numbers | null, ending: Ending, line: number,
): void {
  const [nRemoved, nAdded] = ["-", "+"].map((mark) => body.filter((one) => one[0] === mark).length) as [number, number];
  const missingOld = counts === null ? 0 : counts[0] - body.length + nAdded;
  const missingNew = counts === null ? 0 : counts[1] - body.length + nRemoved;
  if (Math.max(missingOld, missingNew) <= 0 && (counts !== null || !ending.atEnd)) return;
  if (nRemoved === 0 && nAdded === 0) {
    if (!ending.atEnd && !ending.isLastHunk) return;
    throw new PatchError("the patch may have been cut off above the hunk's changes: send it again with them, or leave the hunk out.", line);
  }
  const [last, run] = [body.at(-1)!, lastRun(body)];
  const lacksAdded =
    missingNew > Math.max(missingOld, 0) && body.length > nAdded && (missingOld <= 0 || !replacesAll(run));
  const isHalf = !ending.complete && (missingOld !== missingNew || !endsAlike(run));
  const isLost = last[0] === "+" && (lacksAdded || isHalf);
  const isUnequal = last[0] === " " && !ending.complete && missingOld !== missingNew;
  if (last[0] === "-" || (ending.atEnd && (isLost || isUnequal))) throw new PatchError(mayBeCutOff(body, starts), line);
}

/** The removed lines right above the end of a hunk, and the added lines that replace them. */
type Run = readonly [removed: readonly string[], added: readonly string[]];

function lastRun(body: readonly string[]): Run {
  const nAdded = nFirst(body.toReversed(), (one) => one[0] === "+");
  const end = body.length - nAdded;
  const nRemoved = nFirst(body.slice(0, end).reverse(), (one) => one[0] === "-");
  const texts = body.map((one) => one.slice(1));
  return [texts.slice(end - nRemoved, end), texts.slice(end)];
}

/** Whether each removed line has an added one, and both leave as many brackets open. */
const replacesAll = (run: Run): boolean =>
  run[0].length > 0 && run[1].length >= run[0].length && leavesAsManyOpen(run);

/** Whether the last added line ends in the same sign as the last removed one, with as many brackets open. */
function endsAlike(run: Run): boolean {
  const [one, other] = run.map((lines) => strippedEnd(lines.at(-1) ?? "")) as [string, string];
  const isSign = one !== "" && other !== "" && one.at(-1) === other.at(-1) && !ENDS_IN_LETTER.test(one);
  return isSign && leavesAsManyOpen(run);
}

const leavesAsManyOpen = ([removed, added]: Run): boolean => balance(removed.join("")) === balance(added.join(""));

/** The number of open brackets of each kind, and for each quote whether it is open. */
function balance(text: string): string {
  const opened = BRACKETS.map(([left, right]) => count(text, left!) - count(text, right!));
  return [...opened, ...QUOTES.map((quote) => count(text, quote) % 2)].join();
}

/** Whether a line begins with + or -, and is neither an item of a list nor a rule in prose. */
export const isPiece = (line: string): boolean => PIECE.test(line);

export function checkConflictMarkers(files: Files, sections: readonly FilePatch[], patch: string): void {
  if (!patch.includes("<<<<<<<") && !patch.includes(">>>>>>>")) return;
  for (const section of sections) {
    const text = `\n${files.get(normalPath(section.path) ?? "") ?? ""}`;
    for (const hunk of section.hunks) {
      for (const line of hunk.lines) {
        const found = CONFLICT.exec(line);
        if (!found || text.includes(`\n${found[1]}`)) continue;
        throw new PatchError(`${JSON.stringify(line.slice(1, 60))} is a marker of a merge conflict: write the settled text.`, hunk.patchLine, "not_allowed");
      }
    }
  }
}

/** Whether line `n` begins the signature of a mailed patch, which is text below `-- `. */
export function isSignature(lines: readonly string[], n: number): boolean {
  const below = lines[n + 1];
  return (lines[n] === "-- " || lines[n] === "--") && below !== undefined && !["", " ", "+", "-", "@", "\\"].includes(below.slice(0, 1));
}

/** Whether a diff that ends in this line, without a line feed, may have been cut off within a header. */
export const beginsHeader = (line: string): boolean => ["@", "--", "---", "--- "].includes(line);

/** Throws if the lines right above a header, from line `first` to `n - 1`, look like the rest of a hunk. */
export function checkHead(lines: readonly string[], first: number, n: number): void {
  let above = n;
  while (above > first && beginsWith(lines[above - 1]!, [" ", "+", "-", "\\", "@@"])) above--;
  if (lines.slice(above, n).some(isPiece)) {
    throw new PatchError("the lines above the header look like the rest of a hunk: send the patch again whole, or without them.", above + 1);
  }
}
