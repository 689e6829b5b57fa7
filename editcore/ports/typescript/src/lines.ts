/** Lines of a text with their line feeds, and the lines of its spans. */

import type { Span } from "./types.js";

/** The lines of a text, each with its line feed; none is empty. Joined, they are the text again. */
export function withFeeds(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  lines.push(lines.pop()!.slice(0, -1));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The sums of the first items, from none to all. */
export function sums(sizes: readonly number[]): number[] {
  const found = [0];
  for (const one of sizes) found.push(found.at(-1)! + one);
  return found;
}

/** The lines of each span of a text, as (first, last); an empty span at the start of a line means the line above. */
export function lineSpans(text: string, spans: readonly Span[]): [number, number][] {
  const above = new Map<number, number>();
  let [at, n] = [0, 0];
  for (const offset of [...new Set(spans.flat())].sort((one, other) => one - other)) {
    for (; at < offset; at++) if (text[at] === "\n") n++;
    above.set(offset, n);
  }
  return spans.map(([start, end]) => {
    const [first, endsLine] = [above.get(start)!, end > 0 && text[end - 1] === "\n"];
    if (start === end && endsLine) return [first - 1, first];
    return [first, Math.max(above.get(end)! + (end > start && endsLine ? 0 : 1), first)];
  });
}

export const BOM = "\ufeff";
export const withoutMark = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);
export const withoutFeed = (line: string): string => (line.endsWith("\n") ? line.slice(0, -1) : line);
/** The text without the line ending at its end. */
export const unended = (text: string): string => {
  const rest = withoutFeed(text);
  return rest.endsWith("\r") ? rest.slice(0, -1) : rest;
};
export const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, n) => line === other[n]);
/** The lines without the blank ones at their end. */
export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
