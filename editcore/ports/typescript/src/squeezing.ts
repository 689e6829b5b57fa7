/** The tiers `spacing` and `line_breaks`: the same words and signs, with other whitespace (6.2 to 6.5). */

import { mergeAt } from "./placing.js";
import { type Group, type Place, type Range, size, there } from "./place.js";
import { type Refused, type Result, refused } from "./types.js";
import type { Query } from "./query.js";
import { SPACE, WORD, folded, nCodePoints, occurrences, squeezed, trim } from "./text.js";

const SHORTEST = 8;
const TOKEN = new RegExp(`[${WORD}]+|[^${WORD}${SPACE}]`, "gu");
const SIGN = /\\[^\n]|[()[\]{}"'`]/gu;
const COMMENT = /#|\/\/|--|\/\*|\*\//;
const OPENED_BY: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

export function spacing(query: Query): Result | null {
  const place = squeezedPlace(query);
  if (place === null || "status" in place) return place;
  if (place.groups.some((group) => !isOneAndOne(group))) return null;
  return onlyMovesWhitespace(query) ?? mergeAt(query, place, "SQUEEZED", "spacing", true);
}

export function lineBreaks(query: Query): Result | null {
  const place = squeezedPlace(query);
  if (place === null || "status" in place) return place;
  if (!breaksMeanNothing(query, place)) return null;
  return onlyMovesWhitespace(query) ?? mergeAt(query, place, "SQUEEZED", "line_breaks", true);
}

const isOneAndOne = ([ours, theirs]: Group): boolean => size(ours) === 1 && size(theirs) === 1;

function onlyMovesWhitespace(query: Query): Refused | null {
  if (squeezed(query.old.text) !== squeezed(query.put.text)) return null;
  return refused("no_match", "old_string was found only by ignoring whitespace, and new_string changes nothing else: copy it exactly.");
}

function squeezedPlace(query: Query): Place | Refused | null {
  return query.squeezed === undefined ? (query.squeezed = findPlace(query)) : query.squeezed;
}

function findPlace(query: Query): Place | Refused | null {
  const wanted = squeezed(query.old.text);
  if (query.all || nCodePoints(wanted) < SHORTEST || !query.hasWords) return null;
  const keys = query.file.keys("SQUEEZED");
  const places = occurrences(keys.join(""), wanted, 2);
  if (places.length === 0) return null;
  if (places.length > 1) return refused("ambiguous", "old_string has multiple matches, but for whitespace: add surrounding lines.");
  const place = groupsAt(places[0]!, places[0]! + wanted.length, keys, query.old.keys("SQUEEZED"));
  return place && hasSameTokens(query, place) ? place : null;
}

/** The place from one offset of the squeezed file to another; null if it does not begin and end with lines. */
function groupsAt(at: number, end: number, keys: readonly string[], old: readonly string[]): Place | null {
  const ends = [0];
  for (const key of keys) ends.push(ends.at(-1)! + key.length);
  const line = new Map<number, number>(); // The first line that begins there, of empty ones.
  ends.forEach((one, n) => line.has(one) || line.set(one, n));
  const [first, last] = [line.get(at), line.get(end)];
  if (first === undefined || last === undefined || old.includes("") || keys.slice(first, last).includes("")) return null;
  const groups: Group[] = [];
  let [ours, theirs] = [0, first];
  let read = at;
  old.forEach((key, n) => {
    read += key.length;
    const to = line.get(read);
    if (to === undefined || to > last) return;
    groups.push([[ours, n + 1], [theirs, to]]);
    [ours, theirs] = [n + 1, to];
  });
  return groups.length > 0 ? { groups } : null;
}

function hasSameTokens(query: Query, place: Place): boolean {
  const tokens = (lines: readonly string[], range: Range): string =>
    (folded(lines.slice(...range).map(trim).join("\n")).match(TOKEN) ?? []).join("\n");
  return place.groups.every(([ours, theirs]) => tokens(query.old.solid, ours) === tokens(query.file.solid, theirs));
}

function breaksMeanNothing(query: Query, place: Place): boolean {
  const range = there(place);
  const [old, lines] = [query.old.solid, query.file.solid.slice(...range)];
  const [mine, others] = [betweenBrackets(old), betweenBrackets(lines)];
  return place.groups.every((group) => {
    if (isOneAndOne(group)) return true;
    const [ours, theirs] = [group[0], [group[1][0] - range[0], group[1][1] - range[0]] as const];
    const isOpen = mine.slice(ours[0], ours[1] - 1).every(Boolean) && others.slice(theirs[0], theirs[1] - 1).every(Boolean);
    return isOpen && ![...old.slice(...ours), ...lines.slice(...theirs)].some((line) => COMMENT.test(line));
  });
}

/** For each line whether its end is between round or square brackets, and in no string. */
function betweenBrackets(lines: readonly string[]): boolean[] {
  const opened: string[] = [];
  return lines.map((line) => {
    let quote = "";
    for (const sign of folded(line).match(SIGN) ?? []) {
      if (quote !== "") quote = sign === quote ? "" : quote;
      else if ("\"'`".includes(sign)) quote = sign;
      else if ("([{".includes(sign)) opened.push(sign);
      else if (opened.length > 0 && opened.at(-1) === OPENED_BY[sign]) opened.pop();
    }
    return quote === "" && opened.length > 0 && opened.at(-1) !== "{";
  });
}
