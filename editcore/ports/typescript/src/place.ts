/** Places: the lines of a file that stand for those of a search text. */

import type { FileText } from "./file.js";
import type { Lines } from "./text.js";

/** Lines `first` to `last - 1`. */
export type Range = readonly [first: number, last: number];
/** Solid lines of the search text, and those of the file that stand for them. */
export type Group = readonly [ours: Range, theirs: Range];

export interface Place {
  readonly groups: readonly Group[];
}

export const size = ([first, last]: Range): number => last - first;
export const there = (place: Place): Range => [place.groups[0]![1][0], place.groups.at(-1)![1][1]];
export const spanOf = (file: FileText, place: Place): [number, number] => file.span(...there(place));
export const lineByLine = (at: number, n: number): Place => ({
  groups: Array.from({ length: n }, (_, k) => [[k, k + 1], [at + k, at + k + 1]] as Group),
});
/** The 1-based line of an offset. */
export const lineOf = (file: Lines, at: number): number => file.text.slice(0, at).split("\n").length;
