/** What the rule for stale edits uses: the merge of parts into the current text, its refusals, and edits of several files. */

import { FileText } from "../file.js";
import { BOM, isSame, sums, unended, withoutFeed, withoutMark } from "../lines.js";
import { nFirst } from "../text.js";
import { type Applied, type Files, type FilesResult, type Refused, refused as refusedFor } from "../types.js";
import { type Alignment, type Change, isEnded } from "./alignment.js";
import type { Mine, Part } from "./edited.js";

/** A text -> the result of the edit on it; spans are offsets in that text. */
export type Decide = (text: string) => (Mine & { readonly status: "applied" }) | Refused;
/** The text as the model saw it, the current text and the edit -> the result for the current text. */
export type StaleRule = (seen: string, live: string, decide: Decide) => ReturnType<Decide>;

const MOST_SHOWN = 40;

/** The current text after changes of its lines, in order. Its last line has a line feed as the edit or the text has it. */
export function merged(live: string, alignment: Alignment, changes: readonly Change[], mine: Mine): Applied {
  const [[was, now], wanted] = [alignment.ends, isEnded(mine.content ?? "")];
  const text = withoutMark(live);
  const isCrlf = text[text.indexOf("\n") - 1] === "\r";
  const view = new FileText(now ? text : text + (isCrlf ? "\r\n" : "\n"));
  const starts = sums(alignment.now.map((line) => line.length));
  const put = changes.map(([first, last, lines]) => [starts[first]!, starts[last]!, lines.join("")] as const);
  const written = view.withText(put);
  const isToEnd = wanted === was ? now : wanted;
  const content = (live.startsWith(BOM) ? BOM : "") + (isToEnd ? written : unended(written));
  return { status: "applied", content, tier: mine.tier, spans: [] };
}

/** The part as a change of the current lines, from line `first` on. */
export const putAt = (part: Part, first: number): Change => [first, first + part.last - part.first, part.now];

/** The refusal of an edit whose file was changed since it was read. */
export const hasChanged = (): Refused =>
  refusedFor("stale_read", "the file was changed since it was read: read it again, then send the edit again.");

/**
 * The refusal of an edit: its first lines that were changed, as they are now and as the edit would have them. If none of
 * its lines was changed, their place is not certain.
 */
export function refused(alignment: Alignment, parts: readonly Part[]): Refused {
  for (const part of parts) {
    const [first, last] = alignment.between(part.first, part.last);
    const texts = [alignment.old.slice(part.first, part.last), alignment.now.slice(first, last), part.now];
    if (isSame(texts[1]!, texts[0]!) || isSame(texts[1]!, texts[2]!)) continue;
    const above = nAlike(texts);
    const rest = texts.map((lines) => lines.slice(above));
    const below = nAlike(rest.map((lines) => lines.toReversed()));
    const [read, now, mine] = rest.map((lines) => lines.slice(0, lines.length - below)) as [string[], string[], string[]];
    const where = place(part.first + above, read.length, "as you read it");
    const there = place(first + above, now.length, "now");
    const shown = [...showing("now in the file", now), ...showing("your edit", mine)].join("\n");
    return refusedFor("stale_read", `the file was changed since you read it: ${where} ${read.length === 1 ? "is" : "are"} ${there}. Write the edit for the file as it is now:\n${shown}`);
  }
  return notToldApart(alignment, parts);
}

/** The refusal of an edit whose lines may be in several places, or may not be those that were seen. */
export function notToldApart(alignment: Alignment, parts: readonly Part[]): Refused {
  const part = parts.find((one) => alignment.placeOf(one.first, one.last).at === null) ?? parts[0]!;
  const { nPlaces } = alignment.placeOf(part.first, part.last);
  const where = place(part.first, part.last - part.first, "as you read it");
  const found = nPlaces > 1 ? `may be in any of ${nPlaces} places now` : "may have been moved, or removed and copied";
  return refusedFor("ambiguous", `the file was changed since you read it, and ${where} ${found}: read it again, and send the edit for what it shows then.`);
}

/** The number of first lines that all texts have. */
const nAlike = ([one, ...others]: readonly (readonly string[])[]): number =>
  nFirst(one!.map((line, n) => others.every((lines) => lines[n] === line)), Boolean);

function place(first: number, nLines: number, when: string): string {
  if (nLines === 0) return `the place above line ${first + 1} ${when}`;
  return nLines === 1 ? `line ${first + 1} ${when}` : `lines ${first + 1} to ${first + nLines} ${when}`;
}

/** Lines of a version below its name, each with a sign in front. */
function showing(name: string, lines: readonly string[]): string[] {
  const most = MOST_SHOWN / 2;
  const shown = lines.slice(0, lines.length <= most ? most : most - 1).map((line) => `|${withoutFeed(line)}`);
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more lines`] : [];
  return lines.length > 0 ? [`${name}:`, ...shown, ...more] : [`${name}: no lines`];
}

/**
 * The result for an edit that does not fit the text that was seen: the current text's result, if that is meant. A refusal
 * of the seen text as ambiguous or without effect says nothing about the current text.
 */
export const ofAnotherText = <T extends { readonly status: string }>(mine: Refused, now: T | Refused): T | Refused =>
  now.status === "rejected" || mine.reason === "no_match" ? now : mine;

/**
 * The result of an edit of several files; each file is placed by the rule, and all of them are written or none.
 *
 * `seen` has the texts that the model saw, for files where they differ. A file that was changed since is neither deleted
 * nor moved. A file that was added since is not overwritten. With `hasNumbers`, an edit that fits several places of the
 * seen text says more than its lines: the current text decides.
 */
export function placedInFiles(
  seen: Files, live: Files, decide: (files: Files) => FilesResult, rule: StaleRule, hasNumbers = false,
): FilesResult {
  const known = new Map([...live, ...seen]);
  const mine = decide(known);
  if (mine.status === "rejected") {
    const now = decide(live);
    return hasNumbers && mine.reason === "ambiguous" ? now : ofAnotherText(mine, now);
  }
  const after = new Map(live);
  for (const path of [...new Set([...known.keys(), ...mine.files.keys()])].sort()) {
    const [was, now, wanted] = [known, live, mine.files].map((files) => files.get(path));
    if (wanted === was) continue;
    let content = wanted;
    if (was !== now) {
      if (was === undefined || now === undefined || wanted === undefined) return { ...hasChanged(), message: `${path}: ${hasChanged().message}` };
      const result = rule(was, now, ofOne(path, known, decide));
      if (result.status === "rejected") return { ...result, message: `${path}: ${result.message}` };
      content = result.content ?? undefined;
    }
    if (content === undefined) after.delete(path);
    else after.set(path, content);
  }
  return { status: "applied", files: after };
}

/** The edit's result as a function of the text of one file; all other files are as they were seen. */
const ofOne = (path: string, known: Files, decide: (files: Files) => FilesResult): Decide => (text) => {
  const result = decide(new Map([...known, [path, text]]));
  if (result.status === "rejected") return result;
  return { status: "applied", content: result.files.get(path) ?? null, spans: [], tier: "patch" };
};
