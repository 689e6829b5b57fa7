/** Pairs of a search text and its replacement, applied one after the other, all or nothing. */

import { lineSpans, sums, withFeeds } from "./lines.js";
import type { Edit } from "./query.js";
import { type Options, TIERS, replace } from "./recommended.js";
import { recommended } from "./stale/recommended.js";
import { count } from "./text.js";
import { type Applied, type Result, type Span, refused } from "./types.js";

/**
 * The text after several edits, each made in the result of the one before, or why one is refused. The spans are the lines
 * of the text before all of them that each edit is about. `tier` is the last one in the order that decided an edit.
 */
export function applyEdits(content: string, edits: readonly Edit[], options: Options = {}): Result {
  const { seen, ...rest } = options;
  if (seen !== undefined) return recommended(seen, content, (text) => applyEdits(text, edits, rest)) as Result;
  const steps: Applied[] = [];
  for (const edit of edits) {
    const result = replace(steps.at(-1)?.content ?? content, edit, rest);
    if (result.status === "rejected") return result;
    steps.push(result);
  }
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return refused("empty", "there is no edit: give old_string and new_string.");
  if (steps.length === 1) return first;
  const order = options.tiers ?? Object.keys(TIERS);
  const tier = steps.reduce((furthest, one) => (order.indexOf(one.tier) > order.indexOf(furthest) ? one.tier : furthest), first.tier);
  return { ...last, tier, spans: inFirst(content, steps), isEverywhere: steps.some((one) => one.isEverywhere === true) };
}

/** The spans of edits one after the other, as whole lines of the first text. */
function inFirst(first: string, steps: readonly Applied[]): Span[] {
  const starts = sums(withFeeds(first).map((line) => line.length));
  // For each line of the current text, the lines of the first one that it is, or in whose place it is.
  let origins = starts.map((_, n): Span => [n, n + 1]);
  const found: Span[] = [];
  let text = first;
  for (const { content, spans: some } of steps) {
    let spans = lineSpans(text, some);
    const [start, end] = [some[0]?.[0] ?? 0, some.at(-1)?.[1] ?? 0];
    const nNew = count(content.slice(start, content.length - text.length + end), "\n") - count(text.slice(start, end), "\n");
    let grown = nNew / (spans.length || 1);
    if (!Number.isInteger(grown)) [spans, grown] = [[[spans[0]![0], spans.at(-1)![1]]], nNew]; // By different numbers.
    for (const [above, below] of spans.toReversed()) {
      const about = origins.slice(above, Math.max(below, above + 1));
      const from = about.reduce((least, [one]) => Math.min(least, one), starts.length - 1);
      const to = Math.min(about.reduce((most, [, one]) => Math.max(most, one), 0), starts.length - 1);
      const put = new Array<Span>(Math.max(below - above + grown, 0)).fill([from, to]);
      origins = origins.slice(0, above).concat(put, origins.slice(below));
      found.push([starts[from]!, starts[to]!]);
    }
    text = content;
  }
  return found;
}
