/**
 * Hunks in parts: lines far apart in the file under one header. Each part occurs once, in the file's order.
 *
 *     hunk  | def f():         file  |def f():            read as  | def f():
 *           |-    return 1           |    return 1                 |-    return 1
 *           |+    return 2           |                             |+    return 2
 *           |-LAST = 1              |def g(): ...                 | and so on: the lines between
 *           |+LAST = 2              |LAST = 1                     |-LAST = 1
 *                                                                  |+LAST = 2
 *
 * The parts must be the same from the top and from the bottom, and meet between context lines, or between lines that are
 * replaced one by one.
 */

import type { LineIndex } from "../../line_index.js";
import { nCodePoints, nFirst, trim } from "../../text.js";
import { type Hunk, oldOf } from "../../types.js";
import { type Aligned, EQUALITY } from "./alignment.js";

const MOST_PARTS = 8;
const LEAST_KNOWN = 8;

/** Old lines of a hunk that are together in the file, from its 0-based `line` on. */
interface Part {
  readonly first: number;
  readonly end: number;
  readonly line: number;
}

/** The hunk with the lines between its parts as context; null if a part is not certain. */
export function spread(seeker: LineIndex, hunk: Hunk): Aligned | null {
  const old = oldOf(hunk);
  if (seeker.symbols(old, EQUALITY).includes(undefined)) return null;
  const parts = partsOf(seeker, old, false);
  if (parts.length < 2 || JSON.stringify(parts) !== JSON.stringify(partsOf(seeker, old, true))) return null;
  if (parts.slice(1).some((below, n) => endOf(parts[n]!) > below.line)) return null;
  const lines = withLinesBetween(hunk, parts, seeker.lines);
  return lines && { hunk: { ...hunk, lines }, line: parts[0]!.line };
}

const endOf = (part: Part): number => part.line + part.end - part.first;

/** The longest parts from the top, or from the end; none if one of them does not occur exactly once. */
function partsOf(seeker: LineIndex, old: readonly string[], fromEnd: boolean): Part[] {
  const parts: Part[] = [];
  let done = 0;
  while (done < old.length && parts.length < MOST_PARTS) {
    let [low, high] = [0, old.length - done];
    let places: readonly number[] = [];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const piece = fromEnd ? old.slice(old.length - done - middle, old.length - done) : old.slice(done, done + middle);
      const found = seeker.places(piece, EQUALITY, 2);
      if (found.length > 0) [low, places] = [middle, found];
      else high = middle - 1;
    }
    const first = fromEnd ? old.length - done - low : done;
    if (places.length !== 1 || old.slice(first, first + low).every((line) => trim(line) === "")) return [];
    parts.push({ first, end: first + low, line: places[0]! });
    done += low;
  }
  if (done < old.length) return [];
  return fromEnd ? parts.reverse() : parts;
}

/** The lines of the hunk with the file's lines between its parts; null if added lines may belong to either part. */
function withLinesBetween(hunk: Hunk, parts: readonly Part[], there: readonly string[]): string[] | null {
  const { lines } = hunk;
  const at = lines.flatMap((line, n) => (line[0] === "+" ? [] : [n]));
  const texts = lines.filter((line) => line[0] === "+").map((line) => trim(line.slice(1)));
  const added = new Set(texts.filter((text) => nCodePoints(text) >= LEAST_KNOWN));
  const out = lines.slice(0, at[parts[0]!.end - 1]! + 1);
  for (const [n, below] of parts.slice(1).entries()) {
    const above = parts[n]!;
    const [top, bottom] = [at[above.end - 1]!, at[below.first]!];
    const between = there.slice(endOf(above), below.line);
    if (!isBorder(lines, top, bottom) || between.some((line) => added.has(trim(line)))) return null;
    const rest = lines.slice(bottom, at[below.end - 1]! + 1);
    for (const line of [...lines.slice(top + 1, bottom), ...between.map((one) => ` ${one}`), ...rest]) out.push(line);
  }
  return [...out, ...lines.slice(at.at(-1)! + 1)];
}

/** Whether two parts may meet between these old lines: in context, or between lines that are replaced one by one. */
function isBorder(lines: readonly string[], top: number, bottom: number): boolean {
  const signs = lines.map((line) => line[0]!);
  if (bottom === top + 1) return signs[top] === " " && signs[bottom] === " ";
  const removed = nFirst(signs.slice(0, top + 1).reverse(), (sign) => sign === "-");
  const below = nFirst(signs.slice(bottom), (sign) => sign === "-");
  const added = nFirst(signs.slice(bottom + below), (sign) => sign === "+");
  return below > 0 && removed === bottom - top - 1 && below === added;
}
