/** The rule: what no tier may decide, and the tiers in their order (sections 3 to 5). */

import { notFound } from "./diagnosis.js";
import { drift } from "./drift.js";
import { standsInLines, standsLiterally } from "./made_before.js";
import { alreadyThere, inWholeLines, several } from "./placing.js";
import { type Refused, type Result, refused } from "./types.js";
import { type Edit, Query } from "./query.js";
import { elision, escapes, pasted } from "./repairs.js";
import { lineBreaks, spacing } from "./squeezing.js";
import { recommended as placedIn } from "./stale/recommended.js";
import { apart, isAscii, lineStart, occurrences, stripFeeds, trim } from "./text.js";

const BYTE_ORDER_MARKS = /^\ufeff+/;

export const TIERS: Readonly<Record<string, (query: Query) => Result | null>> = {
  exact,
  blank_lines: (query) => inWholeLines(query, "RIGHT_TRIMMED", "blank_lines"),
  indentation: (query) => inWholeLines(query, "BODY", "indentation"),
  look_alikes: lookAlikes,
  spacing,
  line_breaks: lineBreaks,
  escapes,
  pasted,
  elision,
  drift,
};
export const VERSION = "3";

export interface Options {
  /** The name of the file: it tells what a comment is. */
  readonly path?: string;
  /** Whether search text and new text are whole lines by their format, as those of search/replace blocks are. */
  readonly wholeLines?: boolean;
  /** Only these tiers, in this order. */
  readonly tiers?: readonly string[];
  /** The text as the model last saw it, if it was changed since: the edit is merged with these changes, or refused. */
  readonly seen?: string;
}

/** The text after an edit, or why it is refused. Throws only for the name of a tier that there is not. */
export function replace(content: string, edit: Edit, options: Options = {}): Result {
  const tiers = options.tiers ?? Object.keys(TIERS);
  const unknown = tiers.find((name) => !Object.hasOwn(TIERS, name));
  if (unknown !== undefined) throw new RangeError(`There is no tier ${unknown}: choose from ${Object.keys(TIERS).join(", ")}.`);
  const { seen, ...rest } = options;
  if (seen !== undefined) return placedIn(seen, content, (text) => replace(text, edit, rest)) as Result;
  const mark = BYTE_ORDER_MARKS.exec(content)?.[0] ?? "";
  const { oldString, newString } = edit;
  const hasMark = oldString.startsWith("\ufeff");
  const written: Edit = {
    ...edit,
    oldString: hasMark ? oldString.replace(BYTE_ORDER_MARKS, "") : oldString,
    newString: hasMark ? newString.replace(BYTE_ORDER_MARKS, "") : newString,
  };
  const result = decide(content.slice(mark.length), written, tiers, options.path ?? "", options.wholeLines === true);
  if (result.status === "rejected") return result;
  const spans = result.spans.map(([start, end]) => [start + mark.length, end + mark.length] as const);
  const after = mark === "" ? result.content : mark + result.content.replace(BYTE_ORDER_MARKS, "");
  return { ...result, content: after, spans, isEverywhere: edit.replaceAll === true };
}

function decide(content: string, edit: Edit, tiers: readonly string[], path: string, wholeLines: boolean): Result {
  const query = Query.of(content, edit, path, wholeLines);
  const none = refusedByAll(query, content, edit);
  if (none !== null) {
    const isAppended = query.old.text === "" && (wholeLines || content === "") && none.reason === "empty";
    return isAppended ? appended(query, none) : none;
  }
  const numbered = edit.occurrence === undefined || query.all ? null : atNumber(query, edit.occurrence);
  if (numbered !== null) return numbered;
  let first: Refused | null = null;
  for (const name of tiers) {
    let result = TIERS[name]!(query);
    if (result === null) continue;
    if (result.status === "applied") {
      if (result.tier === "exact" || !fitsAgain(query, result.content, edit)) return result;
      result = refused("no_match", "old_string was found only by forgiving how it is written, and after the edit it would fit there again: copy it exactly, with lines around it.");
    }
    if (result.reason === "identical") return result;
    first ??= result;
  }
  return first ?? notFound(query);
}

/** The new lines below the last line of the file; for a pair of texts, all of an empty file. */
function appended({ file, put, wholeLines }: Query, none: Refused): Result {
  if (((file.text !== "" || wholeLines) && trim(file.text) === "") || trim(put.text) === "") return none;
  const end = file.text.length;
  return file.applied([[end, end, end === 0 || file.text.endsWith("\n") ? put.text : `\n${put.text}`]], "append");
}

function refusedByAll(query: Query, content: string, edit: Edit): Refused | null {
  const old = query.old.text;
  if (old === query.put.text) return refused("identical", "old_string and new_string are identical: nothing would change. Give the text you want instead.");
  if (old === "") return refused("empty", "old_string is empty: give the text to replace, or write the whole file if that is what you mean.");
  if (trim(old) === "") return refused("empty", "old_string is blank: give lines that hold some text, or write the whole file.");
  if (query.all || edit.occurrence !== undefined) return null;
  const places = query.exactPlaces;
  const isTwice = !query.wholeLines && edit.oldString.includes("\r") && occurrences(content, edit.oldString, 2).length > 1;
  return places.length > 1 || isTwice ? several(query, places) : null;
}

function atNumber(query: Query, number: number): Result | null {
  const places = apart(query.file.text, query.old.text);
  if (places.length === 0 && (number === 1 || number === -1)) return null;
  const at = places[(number === -1 ? places.length : number) - 1];
  return at === undefined ? refused("no_match", `old_string stands ${places.length} times in the file as it is written: there is no occurrence ${number}.`) : exactlyAt(query, at);
}

function fitsAgain(query: Query, content: string, edit: Edit): boolean {
  if (query.wholeLines || !query.put.text.includes(stripFeeds(query.old.text))) return false;
  return exact(Query.of(content, edit, query.path, false))?.status === "applied";
}

function exact(query: Query): Result | null {
  const places = query.exactPlaces;
  if (places.length === 0) return madeWhereLinesWereJoined(query);
  if (places.length > 1 && !query.all) return null;
  if (!query.all) return exactlyAt(query, places[0]!);
  const { file, old } = query;
  return file.applied(apart(file.text, old.text).map((at) => [at, at + old.text.length, query.written(at)]), "exact");
}

function exactlyAt(query: Query, at: number): Result {
  const [{ file, old }, written] = [query, query.written(at)];
  if (written.includes(old.text) && madeBefore(query, at, written)) return alreadyThere(query, at);
  return file.applied([[at, at + old.text.length, written]], "exact");
}

function madeBefore(query: Query, at: number, written: string): boolean {
  const { file: { text }, old, put } = query;
  if (standsLiterally(text, at, old.text, written)) return true;
  const core = stripFeeds(old.text);
  const start = at + old.text.indexOf(core);
  const end = start + core.length;
  const before = text.slice(lineStart(text, start), start);
  const feed = text.indexOf("\n", end);
  if (trim(before) !== "" || trim(text.slice(end, feed < 0 ? text.length : feed)) !== "") return false;
  return standsInLines(text, start, end, old, put, before === "" ? "RIGHT_TRIMMED" : "BODY");
}

function madeWhereLinesWereJoined(query: Query): Result | null {
  const [core, put] = [stripFeeds(query.old.text), stripFeeds(query.put.text)];
  if (core === put || !put.includes(core)) return null;
  const at = query.file.text.indexOf(put);
  return at < 0 ? null : alreadyThere(query, at);
}

function lookAlikes(query: Query): Result | null {
  if ((isAscii(query.file.text) && isAscii(query.old.text)) || !query.hasWords) return null;
  return inWholeLines(query, "FOLDED", "look_alikes");
}
