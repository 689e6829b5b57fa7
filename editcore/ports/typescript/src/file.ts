/** A file text as edits see it, and the way back to the file (section 9). */

import { Lines, count, withoutEnd } from "./text.js";
import { commonEnds } from "./sequences.js";
import type { Applied } from "./types.js";

const CRLF = "\r\n";
export const lineFeeds = (text: string): string => text.replaceAll(CRLF, "\n");

export class FileText extends Lines {
  /** The offsets in the view of the line feeds that are CRLF in the file. */
  private readonly crlf: number[] = [];
  private readonly usual: string;
  private starts?: number[];

  constructor(private readonly original: string) {
    super(lineFeeds(original));
    for (let at = original.indexOf(CRLF); at >= 0; at = original.indexOf(CRLF, at + 2)) {
      this.crlf.push(at - this.crlf.length);
    }
    this.usual = this.crlf.length > 0 && 2 * this.crlf.length > count(original, "\n") ? CRLF : "\n";
  }

  /** The offset of a line's start. */
  start(line: number): number {
    if (this.starts === undefined) {
      this.starts = [0];
      let at = 0;
      for (const one of this.all) this.starts.push((at += one.length + 1));
    }
    return this.starts[line]!;
  }

  /** The offsets of solid lines `first` to `last - 1`, without the line feed of the last. */
  span(first: number, last: number): [number, number] {
    return [this.start(this.at[first]!), this.start(this.at[last - 1]! + 1) - 1];
  }

  /** The file with a new text in place of each span of the view. */
  withText(changes: readonly (readonly [start: number, end: number, put: string])[]): string {
    const out: string[] = [];
    let after = 0;
    for (const [start, end, put] of changes) {
      out.push(this.original.slice(after, this.offset(start)), this.written(put, start, end));
      after = this.offset(end);
    }
    return out.join("") + this.original.slice(after);
  }

  /** The result of an edit with a new text in place of each span of the view. */
  applied(changes: readonly (readonly [start: number, end: number, put: string])[], tier: string): Applied {
    return { status: "applied", content: this.withText(changes), tier, spans: changes.map(([start, end]) => [this.offset(start), this.offset(end)]) };
  }

  /** The file with lines replaced: by new lines, and by lines of the file, which are numbers. */
  withLines(first: number, last: number, lines: readonly (string | number)[]): string {
    const out: string[] = [];
    let at = first;
    for (const line of lines) {
      if (typeof line === "number") {
        const piece = this.original.slice(this.fileStart(line), this.fileStart(line + 1));
        out.push(piece.endsWith("\n") ? piece : piece + this.ending(line));
        at = line + 1;
      } else {
        out.push(line + this.ending(Math.min(at, Math.max(last - 1, 0))));
        at = Math.min(at + 1, last);
      }
    }
    let before = this.original.slice(0, this.fileStart(first));
    const after = this.original.slice(this.fileStart(last));
    if (before !== "" && !before.endsWith("\n") && out.length > 0) before += this.ending(0);
    if (out.length > 0 && after === "" && !this.text.endsWith("\n")) {
      out.push(out.pop()!.replace(/\n$/, "").replace(/\r$/, ""));
    }
    return before + out.join("") + after;
  }

  private fileStart(line: number): number {
    return this.offset(Math.min(this.start(line), this.text.length));
  }

  /** The offset in the file for an offset in the view; for a line feed, the start of its CRLF. */
  offset(at: number): number {
    return at + this.crlfBefore(at);
  }

  private crlfBefore(at: number): number {
    let low = 0;
    for (let high = this.crlf.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.crlf[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private endingAt(at: number): string {
    return this.crlf[this.crlfBefore(at)] === at ? CRLF : "\n";
  }

  /** The ending of a line; a last one without takes that of the line above. */
  private ending(line: number): string {
    const which = this.start(line + 1) > this.text.length ? line - 1 : line;
    return which < 0 ? "\n" : this.endingAt(this.start(which + 1) - 1);
  }

  private written(put: string, start: number, end: number): string {
    const plain = this.original.includes("\r") ? lineFeeds(put) : put; // Once more: 9.2.
    const text = this.text.startsWith("\n", end) ? withoutEnd(plain, /\r/) : plain;
    const lines = text.split("\n");
    if (lines.length === 1 || this.crlf.length === 0) return text;
    const old = this.text.slice(start, end).split("\n");
    const endings: string[] = [];
    for (let at = start, n = 0; n < old.length - 1; n++) {
      at += old[n]!.length;
      endings.push(this.endingAt(at++));
    }
    if (new Set(endings).size < 2) return lines.join(endings[0] ?? this.usual);
    const [above, below] = commonEnds(lines.slice(0, -1), old.slice(0, -1));
    let changed = endings.slice(above, endings.length - below);
    const nChanged = lines.length - 1 - above - below;
    if (changed.length !== nChanged) {
      const one = new Set(changed).size === 1 ? changed[0]! : this.usual;
      changed = new Array<string>(nChanged).fill(one);
    }
    const chosen = [...endings.slice(0, above), ...changed, ...endings.slice(endings.length - below), ""];
    return lines.map((line, n) => line + chosen[n]!).join("");
  }
}
