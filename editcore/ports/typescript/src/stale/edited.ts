/**
 * What an edit does to the text that was seen: the lines that it needs unchanged (`Part`), and the lines it writes.
 *
 *     search text  |go()        seen  |a = 1        part: lines 1 to 2, which become `go(2)`, `b = 1`
 *                  |b = 1             |go()         change: line 1 alone, which becomes `go(2)`
 *                                     |b = 1
 */

import { bisect } from "../line_index.js";
import { isSame, lineSpans } from "../lines.js";
import { trim } from "../text.js";
import type { Span } from "../types.js";
import { type Block, type Change, changesOf, linesOf } from "./alignment.js";

/** Lines of the text that was seen that the edit depends on, and what they become. */
export interface Part {
  readonly first: number;
  /** One past the last line; greater than `first`, except in a text without lines. */
  readonly last: number;
  /** Lines with their line feeds. */
  readonly now: readonly string[];
}

/** The result of an edit on a text, as a stale rule sees it. */
export interface Mine {
  /** Null where the edit deletes the file. */
  readonly content: string | null;
  readonly spans: readonly Span[];
  readonly tier: string;
  readonly isEverywhere?: boolean;
}

/** An edit of the text that was seen: the lines of its search texts, and the lines that it changes. */
export class Edited {
  readonly spans: readonly Block[];
  readonly changes: readonly Change[];
  private readonly starts: readonly number[];
  private readonly stops: readonly number[];
  private readonly telling: readonly number[];

  /** `old`: the lines of `seen`. `mine`: the result of the edit on it. */
  constructor(seen: string, mine: Mine, private readonly old: readonly string[]) {
    const now = linesOf(mine.content ?? "");
    this.spans = lineSpans(seen, mine.spans);
    let [first, last] = this.spans.length === 1 ? this.spans[0]! : [0, old.length];
    let end = now.length - (old.length - last);
    if (end < first || !isSame(now.slice(0, first), old.slice(0, first)) || !isSame(now.slice(end), old.slice(last))) {
      [first, last, end] = [0, old.length, now.length];
    }
    // A diff of the whole texts may slide a change along equal lines, away from the lines that were searched for.
    const changes = changesOf(old.slice(first, last), now.slice(first, end));
    this.changes = changes.map(([start, stop, lines]) => [first + start, first + stop, lines]);
    [this.starts, this.stops] = [this.changes.map(([start]) => start), this.changes.map(([, stop]) => stop)];
    this.telling = old.flatMap((line, n) => (trim(line) === "" ? [] : [n]));
  }

  /**
   * The parts of the edit, in order; no two touch.
   *
   * By default a part is the lines of a search text. With `context`, it is a change with that many lines on either side,
   * and more until one of them has text. So it is for an edit that does not tell its matches, such as a patch: one line
   * on either side. Lines are added below the line above them; at the start of a text, above its first line.
   */
  parts(context: number | null = null): Part[] {
    const matched = context === null ? joined(this.spans).filter((one) => this.hasChange(...one)) : [];
    const [spans, around] = [[...matched], matched.length > 0 ? 0 : (context ?? 1)];
    const starts = matched.map(([start]) => start);
    for (const [first, last] of this.changes) {
      const within = matched[bisect(starts, first, true) - 1];
      if (within === undefined || within[1] < last) spans.push(this.reaching(first, last, Math.max(around, first === last ? 1 : 0), around));
    }
    return joined(spans).map(([first, given]) => {
      const last = Math.min(Math.max(given, first + 1), this.old.length);
      const inside = this.changes.slice(bisect(this.starts, first), bisect(this.stops, last, true));
      return { first, last, now: changed(this.old, first, last, inside) };
    });
  }

  /** Whether the edit changes something there: the matches of a list of edits are of texts between. */
  private hasChange(first: number, last: number): boolean {
    const one = this.changes[bisect(this.stops, first)];
    return one !== undefined && one[0] <= last;
  }

  /** The block with `above` and `below` more lines, and with further ones until a line with text is reached. */
  private reaching(first: number, last: number, above: number, below: number): Block {
    let [start, end] = [Math.max(first - above, 0), Math.min(last + below, this.old.length)];
    if (below > 0) {
      const [up, down] = [bisect(this.telling, first), bisect(this.telling, last)];
      start = Math.min(start, this.telling[up - 1] ?? 0);
      end = Math.max(end, (this.telling[down] ?? this.old.length - 1) + 1);
    }
    return [start, end];
  }
}

/** The spans in order; spans that share a line or a border are joined. */
function joined(spans: readonly Block[]): Block[] {
  const found: Block[] = [];
  for (const [first, last] of spans.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const above = found.at(-1);
    if (above !== undefined && first <= above[1]) found[found.length - 1] = [above[0], Math.max(above[1], last)];
    else found.push([first, last]);
  }
  return found;
}

function changed(old: readonly string[], first: number, last: number, changes: readonly Change[]): string[] {
  const out: string[] = [];
  let done = first;
  for (const [start, end, now] of changes) {
    for (const line of [...old.slice(done, start), ...now]) out.push(line);
    done = end;
  }
  return [...out, ...old.slice(done, last)];
}
