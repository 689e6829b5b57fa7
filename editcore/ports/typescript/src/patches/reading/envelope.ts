/** Reading envelopes by the exact grammar. */

import { rightTrimmed } from "../../line_index.js";
import { withoutCr } from "../../text.js";
import { type FilePatch, type Hunk, hunkOf } from "../../types.js";

export const BEGIN = "*** Begin Patch";
export const END = "*** End Patch";
const EOF = "*** End of File";
const MOVE = "*** Move to: ";
export const UPDATE = "*** Update File: ";
export const HEADERS = ["*** Add File: ", "*** Delete File: ", UPDATE, MOVE] as const;
export const NO_SECTIONS = `the patch has no sections: '${UPDATE}PATH' begins one, '@@' a hunk in it.`;
const HEADER = /^\*\*\* (Add|Delete|Update) File: ([^]+)$/;
const MARKS = ["", " ", "+", "-"];

/** The lines of a patch without the carriage returns of CRLF line endings. */
export const linesOf = (text: string): string[] => text.split("\n").map(withoutCr);

/** The sections by the exact grammar: no whitespace around markers, no wrapping, `@@` before each hunk; else null. */
export function parseStrict(text: string): FilePatch[] | null {
  const lines = linesOf(text.endsWith("\n") ? text.slice(0, -1) : text);
  if (lines.length < 2 || lines[0] !== BEGIN || lines.at(-1) !== END) return null;
  if (lines.some((line) => (line.startsWith("*** ") || line === "@@ ") && line !== rightTrimmed(line))) return null;
  const build = new SectionBuilder();
  for (let n = 1; n < lines.length - 1; n++) if (!build.take(lines[n]!, n + 1)) return null;
  return build.close() ? build.sections : null;
}

class SectionBuilder {
  readonly sections: FilePatch[] = [];
  private section: { action: FilePatch["action"]; path: string; line: number; moveTo: string | null } | null = null;
  private hunks: Hunk[] = [];
  private lines: string[] = [];
  private hunk: { anchors: string[]; line: number; endOfFile: boolean } | null = null;

  /** Reads a line; false if the grammar does not allow it. */
  take(line: string, number: number): boolean {
    const action = this.section?.action;
    if (action === "update" && MARKS.includes(line.slice(0, 1))) return this.hunkLine(line);
    if (action === "add" && line.startsWith("+")) return this.lines.push(line) > 0;
    const found = HEADER.exec(action === "update" ? rightTrimmed(line) : line);
    if (!found) return action === "update" && this.marker(rightTrimmed(line), number);
    if (!this.close()) return false;
    this.section = { action: found[1]!.toLowerCase() as FilePatch["action"], path: found[2]!, line: number, moveTo: null };
    return true;
  }

  /** Ends the section; false if it lacks lines that it needs. */
  close(): boolean {
    if (this.section === null) return true;
    const { action, path, line, moveTo } = this.section;
    if (action === "add" && this.lines.length > 0) this.hunks = [hunkOf(this.lines, line + 1)];
    if (!this.closeHunk() || (action === "update" && this.hunks.length === 0 && moveTo === null)) return false;
    this.sections.push({ action, path, patchLine: line, moveTo, hunks: this.hunks });
    [this.section, this.hunks, this.lines] = [null, [], []];
    return true;
  }

  private closeHunk(): boolean {
    if (this.hunk === null) return true;
    if (this.lines.length === 0) return false;
    const { anchors, line, endOfFile } = this.hunk;
    this.hunks.push(hunkOf(this.lines, line, { anchors, endOfFile }));
    [this.hunk, this.lines] = [null, []];
    return true;
  }

  private hunkLine(line: string): boolean {
    if (this.hunk === null || this.hunk.endOfFile || line === "") return false;
    return this.lines.push(line) > 0;
  }

  private marker(marker: string, number: number): boolean {
    if (marker.startsWith(MOVE) && marker.length > MOVE.length) {
      if (this.hunks.length > 0 || this.hunk !== null || this.section!.moveTo !== null) return false;
      this.section!.moveTo = marker.slice(MOVE.length);
      return true;
    }
    if (marker === "@@" || marker.startsWith("@@ ")) {
      if (!this.closeHunk()) return false;
      this.hunk = { anchors: marker === "@@" ? [] : [marker.slice(3)], line: number, endOfFile: false };
      return true;
    }
    if (marker !== EOF || this.hunk === null || this.lines.length === 0 || this.hunk.endOfFile) return false;
    return (this.hunk.endOfFile = true);
  }
}
