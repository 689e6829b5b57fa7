/** Refusals of hunks that have no place, or several: what was found, where, and what to do. All lines are 0-based. */

import { didYouMean } from "../../diagnosis.js";
import type { Equality, LineIndex } from "../../line_index.js";
import { trim } from "../../text.js";
import { type FilePatch, type Hunk, PatchError, type Reason, newOf, oldOf } from "../../types.js";
import type { Numbers } from "../reading/cut_off.js";

/** A hunk that matches in more places than this is ambiguous, whatever the hints say. */
export const MAX_PLACES = 5000;
export const MAX_CANDIDATES = 10;

/** The message for a hunk that may lack its end: what to send if it does, and what if it does not. */
export function mayBeCutOff(body: readonly string[], starts: Numbers | null): string {
  const [nOld, nNew] = ["+", "-"].map((mark) => body.filter((one) => one[0] !== mark).length);
  const [old, now] = starts ?? ["LINE", "LINE"];
  return `the patch may have been cut off within the hunk: send it again whole; if it is whole, with the header '@@ -${old},${nOld} +${now},${nNew} @@'.`;
}

const numbers = (places: readonly number[]): string => places.slice(0, MAX_CANDIDATES).map((line) => line + 1).join(", ");

/** `lastEquality`: the least strict equality by which the hunk was looked for. */
export class Refusals {
  constructor(
    private readonly seeker: LineIndex, private readonly section: FilePatch, private readonly hunk: Hunk,
    private readonly lastEquality: Equality,
  ) {}

  private refusal(message: string, reason: Reason): PatchError {
    return new PatchError(message, this.hunk.patchLine, reason);
  }

  ambiguous(places: readonly number[]): PatchError {
    const many = places.length <= MAX_PLACES ? `${places.length}` : `more than ${MAX_PLACES}`;
    const more = places.length > MAX_CANDIDATES ? ", ..." : "";
    return this.refusal(`the hunk fits ${this.section.path} in ${many} places (lines ${numbers(places)}${more}): add context lines that make it unique.`, "ambiguous");
  }

  /** Its lines without marks have two readings that match, at these lines. */
  readTwice(places: Iterable<number>): PatchError {
    const lines = numbers([...new Set(places)].sort((one, other) => one - other));
    return this.refusal(`the hunk can be read in two ways that both fit ${this.section.path} (lines ${lines}): begin every line of it with a space, + or -, empty ones too.`, "ambiguous");
  }

  /** Its `@@` line names other places than the order of the hunks leaves. */
  contradictory(byAnchor: number, byOrder: number): PatchError {
    return this.refusal(`the hunk fits ${this.section.path} at line ${byAnchor + 1} by its @@ line, but at line ${byOrder + 1} by the order of the hunks: put the hunks in the file's order.`, "ambiguous");
  }

  withoutPlace(): PatchError {
    return this.refusal("the hunk only adds lines and does not say where: give a line of context above them.", "ambiguous");
  }

  /** At its stated line, it has fewer added lines than its counts say. */
  cutOff(): PatchError {
    const { sourceStart, targetStart, lines } = this.hunk;
    return this.refusal(mayBeCutOff(lines, sourceStart === null ? null : [sourceStart, targetStart || sourceStart]), "malformed");
  }

  appliedAlready(line: number): PatchError {
    return this.refusal(`the change stands in ${this.section.path} already, at line ${line + 1}.`, "identical");
  }

  indentedUnevenly(line: number): PatchError {
    return this.refusal(`the lines stand at line ${line + 1} of ${this.section.path}, but indented in several other ways: copy the indentation of the file.`, "no_match");
  }

  indentedAlone(line: number): PatchError {
    return this.refusal(`the hunk's context stands at line ${line + 1} of ${this.section.path}, but indented otherwise, and other hunks are indented as the file is: copy the indentation of the file.`, "no_match");
  }

  /** It matches nowhere. The message names the first differing line at the closest place. */
  notFound(): PatchError {
    const [old, now, { lines }] = [oldOf(this.hunk), newOf(this.hunk), this.seeker];
    const isOther = now.length !== old.length || now.some((one, n) => one !== old[n]);
    const made = now.length > 0 && isOther ? this.seeker.places(now, "right_trimmed", 2) : [];
    if (made.length === 1 && (now.length > 1 || old.length <= 1)) return this.appliedAlready(made[0]!);
    const [line, nSame] = this.closest(old);
    if (nSame === 0) return this.firstLineNotFound(old);
    const there = lines[line + nSame];
    const has = there === undefined ? "the file ends" : `the file has ${JSON.stringify(there)}`;
    return this.refusal(`the hunk's first ${nSame} line(s) stand at line ${line + 1} of ${this.section.path}, but then ${has} where the hunk has ${JSON.stringify(old[nSame])}: copy the lines exactly.`, "no_match");
  }

  private firstLineNotFound(old: readonly string[]): PatchError {
    let text = `the hunk's first line, ${JSON.stringify(old[0])}, stands nowhere in ${this.section.path}`;
    const other = old.slice(1).find((one) => trim(one) !== "" && this.seeker.places([one], this.lastEquality, 1).length > 0);
    if (other !== undefined) text += `, but ${JSON.stringify(other)} at line ${this.seeker.places([other], this.lastEquality, 1)[0]! + 1}`;
    const meant = didYouMean(this.seeker.lines, old, this.hunk.anchors);
    return this.refusal(`${text}${meant === "" ? ": read" : `. ${meant} Read`} the file again and copy the lines exactly.`, "no_match");
  }

  /** The line and the length of the longest match of the hunk's first lines, found by bisection. */
  private closest(old: readonly string[]): [line: number, n: number] {
    let [low, high, line] = [0, old.length - 1, 0];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const at = this.seeker.places(old.slice(0, middle), this.lastEquality, 1)[0];
      if (at === undefined) high = middle - 1;
      else [low, line] = [middle, at];
    }
    return [line, low];
  }
}
