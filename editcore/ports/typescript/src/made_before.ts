/** Whether an edit was made at its place before (5.3, 5.4). */

import { type Key, type Lines, keyOf, lineStart, occurrences, stripFeeds, trim } from "./text.js";

const MOST_TRIES = 4;
const isBlank = (text: string): boolean => trim(text) === "";
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** Whether the new text, which has the search text in it, is around an exact place of that already. */
export function standsLiterally(text: string, at: number, old: string, put: string): boolean {
  const core = stripFeeds(old);
  const start = at + old.indexOf(core);
  const end = start + core.length;
  return occurrences(put, core, MOST_TRIES).some((offset) => {
    const [above, below] = [put.slice(0, offset), put.slice(offset + core.length)];
    const head = above.slice(lineStart(above, above.length - above.trimStart().length));
    const rest = below.slice(0, lineEnd(below, below.trimEnd().length));
    if (head === "" && rest === "") return blankAbove(text, start, above, old) && blankBelow(text, end, below, old);
    const first = startAbove(text, start, head);
    if (first === null || !text.startsWith(rest, end)) return false;
    return areWholeLines(text, first, end, head, rest);
  });
}

const endsAt = (text: string, piece: string, at: number): boolean =>
  at >= piece.length && text.startsWith(piece, at - piece.length);

function startAbove(text: string, start: number, head: string): number | null {
  if (endsAt(text, head, start)) return start - head.length;
  const feed = head.indexOf("\n");
  const [line, others] = [head.slice(0, feed), head.slice(feed + 1)];
  const at = start - others.length - 1;
  if (feed < 0 || at < 0 || !endsAt(text, `\n${others}`, start)) return null;
  const first = lineStart(text, at);
  return text.slice(first, at).trimStart() === line.trimStart() ? first : null;
}

function areWholeLines(text: string, first: number, end: number, head: string, rest: string): boolean {
  const last = end + rest.length;
  const isFirst = isBlank(text.slice(lineStart(text, first), first));
  const isLast = isBlank(text.slice(last, lineEnd(text, last)));
  return (!head.includes("\n") && !isFirst) || (!rest.includes("\n") && !isLast) || (isFirst && isLast);
}

function blankAbove(text: string, start: number, above: string, old: string): boolean {
  const first = Math.max(start - above.length, 0);
  const isWhole = above === "" || old.startsWith("\n") || isBlank(text.slice(lineStart(text, first), first));
  return isWhole && endsAt(text, above, start);
}

function blankBelow(text: string, end: number, below: string, old: string): boolean {
  const last = end + below.length;
  const feed = text.indexOf("\n", last);
  const isWhole = below === "" || old.endsWith("\n") || (feed >= 0 && isBlank(text.slice(last, feed)));
  return isWhole && text.startsWith(below, end);
}

/** Whether the solid lines that the new text has above and below the search text are around its place already. */
export function standsInLines(text: string, start: number, end: number, old: Lines, put: Lines, key: Key): boolean {
  if (put.solid.length <= old.solid.length) return false;
  const [mine, wanted] = [old.keys(key), put.keys(key)];
  let tries = 0;
  for (let at = 0; at + mine.length <= wanted.length && tries < MOST_TRIES; at++) {
    if (!mine.every((one, k) => wanted[at + k] === one)) continue;
    tries++;
    const [above, below] = [wanted.slice(0, at).reverse(), wanted.slice(at + mine.length)];
    if (begins(solidAbove(text, start), above, key) && begins(solidBelow(text, end), below, key)) return true;
  }
  return false;
}

function begins(lines: Iterator<string>, wanted: readonly string[], key: Key): boolean {
  return wanted.every((one) => {
    const line = lines.next();
    return !line.done && keyOf(line.value, key) === one;
  });
}

function* solidAbove(text: string, at: number): Generator<string> {
  for (let end = lineStart(text, at) - 1; end >= 0; ) {
    const start = lineStart(text, end);
    const line = text.slice(start, end);
    if (!isBlank(line)) yield line;
    end = start - 1;
  }
}

function* solidBelow(text: string, at: number): Generator<string> {
  for (let start = text.indexOf("\n", at) + 1; start > 0; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    if (!isBlank(line)) yield line;
    start = end + 1;
  }
}
