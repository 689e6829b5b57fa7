/** An edit and the file text it is for, as every tier gets them (section 3). */

import { FileText, lineFeeds } from "./file.js";
import type { Place } from "./place.js";
import type { Refused } from "./types.js";
import { Lines, folded, head, isAscii, lineStart, occurrences, placesOf, trim, withoutEnd, WORD } from "./text.js";
import type { Likeness } from "./votes.js";

export interface Edit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: boolean;
  /** 1 is the first exact place, -1 the last. */
  readonly occurrence?: number;
}

const MOST_CANDIDATES = 10;
const MOST_WORDS = 4;
const LONGEST_SEARCHED = 20_000;
const WORDS = new RegExp(`[${WORD}]{4,}`, "gu");

export class Query {
  /** The places most like the search text, once they were looked for. */
  likely?: readonly Likeness[];
  /** The place without whitespace, once it was looked for. */
  squeezed?: Place | Refused | null;
  private known?: boolean;

  private constructor(
    readonly file: FileText, readonly old: Lines, readonly put: Lines, readonly all: boolean, readonly path: string,
    readonly wholeLines: boolean,
  ) {}

  static of(content: string, edit: Edit, path: string, wholeLines: boolean): Query {
    const [old, put] = [lineFeeds(edit.oldString), lineFeeds(edit.newString)].map((one) => new Lines(one));
    return new Query(new FileText(content), old!, put!, edit.replaceAll === true, path, wholeLines);
  }

  /** The same with another search text and new text. */
  repaired(old: string, put: string): Query {
    return new Query(this.file, new Lines(old), new Lines(put), this.all, this.path, this.wholeLines);
  }

  /**
   * The new text as it is written over an exact place: the line feed at the end of whole lines stays, where the new text
   * has forgotten it.
   */
  written(at: number): string {
    const [old, put, { text }] = [this.old.text, this.put.text, this.file];
    if (!old.endsWith("\n") || put === "" || put.endsWith("\n")) return put;
    const isWhole = (old[0] === "\n" && put[0] === "\n") || trim(text.slice(lineStart(text, at), at)) === "";
    return isWhole ? `${withoutEnd(put, /\r/)}\n` : put;
  }

  /** The places of the search text as it is, overlapping ones too; at most a few. */
  get exactPlaces(): number[] {
    return this.wholeLines ? this.wholePlaces : occurrences(this.file.text, this.old.text, MOST_CANDIDATES);
  }

  /** Those of them that begin and end with lines. */
  get wholePlaces(): number[] {
    const { text } = this.file;
    const isWhole = (at: number): boolean => {
      const end = at + this.old.text.length;
      const ends = end === text.length || text[end - 1] === "\n" || text[end] === "\n";
      return ends && (at === 0 || text[at - 1] === "\n");
    };
    const found: number[] = [];
    for (const at of placesOf(text, this.old.text)) if (isWhole(at) && found.push(at) === MOST_CANDIDATES) break;
    return found;
  }

  /** Whether the file has the longest words of the search text (10.2). */
  get hasWords(): boolean {
    if (this.known === undefined) {
      const found = new Set(folded(head(this.old.text, LONGEST_SEARCHED)).match(WORDS)?.filter(isAscii) ?? []);
      const longest = [...found].sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
      this.known = longest.slice(0, MOST_WORDS).every((one) => this.file.text.includes(one));
    }
    return this.known;
  }
}
