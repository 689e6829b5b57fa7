/**
 * Edits of lines that a formatter has changed since they were seen: merged into the formatted lines.
 *
 *     seen  |f(a,          live  |    f(a, b)     edit  |f(a,          merged  |    f(a, b)
 *           |  b)                |    go('x')           |  b)                  |    if a:
 *           |go("x")                                   |if a:                 |      go('x')
 *                                                      |  go("x")
 *
 * `inReformatted`: between two unchanged lines, both texts have the same characters but for whitespace and quotes. The
 * lines are paired in the smallest groups that end at the same character. `reindent`: the whole file has another
 * indentation. Lines with the same text show what each old indentation became.
 */

import { isSame, lineSpans, sums, withoutFeed } from "../lines.js";
import type { Group, Range } from "../place.js";
import { mergeAt } from "../placing.js";
import { Query } from "../query.js";
import { hasAlnum, indent, nFirst, strippedEnd, trim } from "../text.js";
import { type Alignment, type Change, changesOf, linesOf } from "./alignment.js";
import type { Mine, Part } from "./edited.js";

/** Groups above and below an edit's own groups, which show how its lines are indented now. */
const CONTEXT = 20;

/** The line without whitespace, with all quotes as one. */
const bare = (line: string): string => withoutFeed(line).replace(/[^\S\n]/g, "").replace(/['`]/g, '"');
const isBlank = (line: string): boolean => trim(line) === "";

/** The part merged into its reformatted lines, as a change of `now`; null if it is doubtful, or they say others. */
export function inReformatted(alignment: Alignment, given: Part): Change | null {
  let part = given;
  if (part.now.every(isBlank) && alignment.placeOf(part.first, part.last).nPlaces === 0) {
    // The lines beside removed ones show where these were.
    const [above, below] = alignment.withTelling(part.first, part.last);
    const [kept, rest] = [alignment.old.slice(above, part.first), alignment.old.slice(part.last, below)];
    part = { first: above, last: below, now: [...kept, ...part.now, ...rest] };
  }
  const place = placeOf(alignment, part);
  // Blank lines that a part begins or ends with are not among the lines that are paired.
  const mine = alignment.old.slice(part.first, part.last);
  if (place === null || nBlank(mine) !== nBlank(part.now) || nBlank(mine.toReversed()) !== nBlank(part.now.toReversed())) return null;
  const change = amongBlankLines(alignment, part);
  if (change !== null) return change;
  const { first, last, groups } = place;
  const [start, end] = [groups[0]![1][0]!, groups.at(-1)![1].at(-1)! + 1];
  const [old, there] = [alignment.old.slice(first, last), alignment.now.slice(start, end)];
  const now = [...alignment.old.slice(first, part.first), ...part.now, ...alignment.old.slice(part.last, last)];
  const query = Query.of(there.join(""), { oldString: old.join(""), newString: now.join("") }, "", true);
  const [at, ofMine] = [numbered(there, start), numbered(old, first)];
  if (query.file.solid.length !== at.size || ofMine.size === 0 || query.put.solid.length === 0) return null;
  const found = groups.map(([mine, theirs]): Group => [rangeOf(ofMine, mine), rangeOf(at, theirs)]);
  const result = mergeAt(query, { groups: found }, "RIGHT_TRIMMED", "stale");
  return result.status === "rejected" ? null : [start, end, linesOf(result.content)];
}

/**
 * The part as a change of `now`, if others have only added blank lines between its lines: these stay.
 *
 *     seen  |go()     live  |go()     edit  |go()     written  |go()
 *           |end            |                                  |
 *                           |end
 *
 * null if others did more, or added a blank line between lines that the edit replaces as one block.
 */
function amongBlankLines(alignment: Alignment, part: Part): Change | null {
  const there = alignment.there.slice(part.first, part.last);
  if (there.length === 0 || there.some((n) => n == null)) return null;
  const [start, end] = [there[0]!, there.at(-1)! + 1];
  const known = new Set(there);
  const added = alignment.now.slice(start, end).filter((_, n) => !known.has(start + n));
  if (added.length === 0 || !added.every(isBlank)) return null;
  const old = alignment.old.slice(part.first, part.last);
  const lines: string[] = [];
  let done = start;
  for (const [first, last, put] of changesOf(old, part.now)) {
    let at = first > 0 ? there[first - 1]! + 1 : start;
    if (first < last) {
      const isAnyBlank = old.slice(first, last).every(isBlank); // Any of several blank lines will do.
      const place = isAnyBlank ? there[first]! : alignment.placeOf(part.first + first, part.first + last).at;
      if (place === null || place < start || place > end - (last - first)) return null;
      if (!isSame(alignment.now.slice(place, place + last - first), old.slice(first, last))) return null;
      at = place;
    }
    if (at < done) return null;
    lines.push(...alignment.now.slice(done, at), ...put);
    done = at + last - first;
  }
  return [start, end, [...lines, ...alignment.now.slice(done, end)]];
}

const nBlank = (lines: readonly string[]): number => nFirst(lines, isBlank);

/** The ordinal of each line with text, by its number; the first line has the number `first`. */
function numbered(lines: readonly string[], first: number): Map<number, number> {
  const found = new Map<number, number>();
  lines.forEach((line, n) => !isBlank(line) && found.set(first + n, found.size));
  return found;
}

const rangeOf = (numbers: ReadonlyMap<number, number>, lines: readonly number[]): Range =>
  [numbers.get(lines[0]!)!, numbers.get(lines.at(-1)!)! + 1];

type Groups = (readonly [mine: number[], theirs: number[]])[];
/** The groups of a part and its context, and the lines of the old text in them. */
interface Grouped {
  readonly first: number;
  readonly last: number;
  readonly groups: Groups;
}

function placeOf(alignment: Alignment, part: Part): Grouped | null {
  const { at } = alignment.placeOf(part.first, part.last);
  if (at !== null) return lineByLine(alignment, part, at);
  let about: readonly [number, number] = [part.first, part.last];
  if (alignment.movedBy(...about) !== null) { // Nobody formatted these: those beside them tell them from a copy.
    about = alignment.withTelling(...about);
    if (alignment.movedBy(...about) !== null) return null; // Its neighbours do not tell it apart either.
  }
  if (!hasCertainEnds(alignment, ...about)) return null;
  const [[start, end], [first, last]] = [alignment.around(...about), alignment.between(...about)];
  const [old, now] = [alignment.old.slice(start, end), alignment.now.slice(first, last)];
  const [bareOld, bareNew] = [old.map(bare), now.map(bare)];
  if (bareOld.join("") !== bareNew.join("") || mayHaveMoved(old, now) || mayBeOthers(old, now)) return null;
  const [readOld, readNew] = [bareOld, bareNew].map((texts) => sums(texts.map((text) => text.length)).slice(1)) as [number[], number[]];
  const known = new Set(readNew);
  const borders = [...new Set(readOld)].filter((read) => read > 0 && known.has(read));
  const groups: Groups = borders.map(() => [[], []]);
  for (const [numbers, texts, read, side] of [[start, bareOld, readOld, 0], [first, bareNew, readNew, 1]] as const) {
    let group = 0;
    texts.forEach((text, n) => {
      if (text === "") return;
      while (borders[group]! < read[n]!) group++;
      groups[group]![side].push(numbers + n);
    });
  }
  const ofPart = groups.flatMap(([mine], n) => (mine[0]! < part.last && part.first <= mine.at(-1)! ? [n] : []));
  if (ofPart.length === 0) return null;
  const shown = groups.slice(Math.max(ofPart[0]! - CONTEXT, 0), ofPart.at(-1)! + 1 + CONTEXT);
  return { first: Math.min(shown[0]![0][0]!, part.first), last: Math.max(shown.at(-1)![0].at(-1)! + 1, part.last), groups: shown };
}

/** Whether the first and the last line with text of a block are certain where nobody has changed them. */
function hasCertainEnds(alignment: Alignment, first: number, last: number): boolean {
  const lines = alignment.old.slice(first, last);
  const ends = [lines.findIndex((line) => !isBlank(line)), lines.findLastIndex((line) => !isBlank(line))];
  return ends.every((k) => {
    const there = k < 0 ? null : alignment.there[first + k]!;
    return there === null || there === alignment.placeOf(first + k, first + k + 1).at;
  });
}

/** The groups of a part whose lines have a certain place, where only whitespace at their ends differs. */
function lineByLine({ old, now }: Alignment, part: Part, at: number): Grouped | null {
  const by = at - part.first;
  const respaced = old.slice(part.first, part.last).filter((line, n) => strippedEnd(line) !== strippedEnd(now[at + n]!));
  // Brackets alone have another depth now: they may not be the brackets that were seen.
  if (respaced.length > 0 && !hasAlnum(respaced.join(""))) return null;
  let { first, last } = part;
  const [least, most] = [Math.max(first - CONTEXT, -by, 0), Math.min(last + CONTEXT, now.length - by, old.length)];
  while (first > least && trim(old[first - 1]!) === trim(now[first - 1 + by]!)) first--;
  while (last < most && trim(old[last]!) === trim(now[last + by]!)) last++;
  const groups: Groups = [];
  for (let n = first; n < last; n++) if (!isBlank(old[n]!)) groups.push([[n], [n + by]]);
  return groups.length > 0 ? { first, last, groups } : null;
}

/** Whether the new lines are the old lines in another order, and two of them have the same text. */
function mayHaveMoved(old: readonly string[], now: readonly string[]): boolean {
  const said = old.map(bare).filter((one) => one !== "");
  return new Set(said).size < said.length && old.toSorted().join("") === now.toSorted().join("");
}

/** Whether lines of brackets alone have another depth now: they may not be the brackets that were seen. */
function mayBeOthers(old: readonly string[], now: readonly string[]): boolean {
  const shown = (lines: readonly string[]): string => lines.filter((line) => !isBlank(line)).map(strippedEnd).join("\n");
  return !hasAlnum(old.join("")) && shown(old) !== shown(now);
}

/** A line -> the line with its current indentation; null if nothing shows what that is. */
type Reindent = (line: string) => string | null;

/** A function that indents lines of `seen` as in `live`; null unless `live` is indented otherwise, in one regular way. */
export function reindent(seen: string, live: string): Reindent | null {
  const [old, now] = [seen, live].map((text) => linesOf(text).filter((line) => !isBlank(line))) as [string[], string[]];
  const known = new Set(now.map(indent));
  if (old.every((line) => known.has(indent(line)))) return null;
  const table = tableOf(old, now);
  const steps = [...table.keys()].filter((one) => one !== "").sort((one, other) => one.length - other.length);
  if (!steps.some((one) => one !== table.get(one))) return null;
  const unit = steps[0]!;
  const other = table.get(unit)!;
  const kinds = (text: string): string => [...new Set(text)].sort().join("");
  // One depth alone may have become another by a shift, but not spaces tabs.
  const isRegular = (steps.length > 1 || kinds(unit) !== kinds(other)) && steps.every((one) => table.get(one) === scaled(one, unit, other));
  return (line) => {
    if (isBlank(line)) return line;
    const own = indent(line);
    const there = table.get(own) ?? (isRegular ? scaled(own, unit, other) : null);
    return there === null ? null : there + line.slice(own.length);
  };
}

/**
 * Old indentation -> new indentation, by lines with the same text; empty if one old indentation has become several. A
 * text that is now more or less frequent is left out, since nothing tells which of its lines stayed.
 */
function tableOf(old: readonly string[], now: readonly string[]): Map<string, string> {
  const [saidOld, saidNew] = [old.map(bare), now.map(bare)];
  const counted = (some: readonly string[]): Map<string, number> => {
    const found = new Map<string, number>();
    for (const one of some) found.set(one, (found.get(one) ?? 0) + 1);
    return found;
  };
  const [nOld, nNew, found] = [counted(saidOld), counted(saidNew), new Map<string, string>()];
  let [atOld, atNew] = [0, 0];
  for (const [first, last, put] of [...changesOf(saidOld, saidNew), [saidOld.length, saidOld.length, []] as const]) {
    for (; atOld < first; atOld++, atNew++) {
      const [said, own, other] = [saidOld[atOld]!, indent(old[atOld]!), indent(now[atNew]!)];
      if (nOld.get(said) !== nNew.get(said)) continue;
      if (!found.has(own)) found.set(own, other);
      if (found.get(own) !== other) return new Map();
    }
    [atOld, atNew] = [last, atNew + put.length];
  }
  return found;
}

function scaled(own: string, unit: string, other: string): string | null {
  const n = own.length / unit.length;
  return Number.isInteger(n) && own === unit.repeat(n) ? other.repeat(n) : null;
}

/** The text that was seen, and the edit's result on it, in the current indentation; null if a new line has none. */
export function inIndentation(seen: string, mine: Mine, reindented: Reindent): readonly [string, Mine] | null {
  // A line whose indentation is nowhere else was changed otherwise, too, and stays.
  const old = new Map(linesOf(seen).map((line) => [line, reindented(line) || line]));
  const now = linesOf(mine.content!).map((line) => old.get(line) ?? reindented(line));
  if (now.includes(null)) return null;
  const lines = linesOf(seen).map((line) => old.get(line)!);
  const starts = sums(lines.map((line) => line.length));
  // An edit of all places is counted by its lines; any other one is merged change by change.
  const rows = mine.isEverywhere ? lineSpans(seen, mine.spans) : [];
  return [lines.join(""), { ...mine, content: now.join(""), spans: rows.map(([first, last]) => [starts[first]!, starts[last]!]) }];
}
