/** Candidates: the places at which the lines of a hunk match, and the hints that leave fewer of them. */

import { type Equality, type LineIndex, bisect } from "../../line_index.js";
import { type FilePatch, type Hunk, newOf, oldOf } from "../../types.js";
import { EQUALITY, aligned } from "./alignment.js";
import { Anchors } from "./anchors.js";
import type { ByContent } from "./policy.js";
import { MAX_CANDIDATES, MAX_PLACES, Refusals } from "./refusals.js";
import { SLIPS_EQUALITY, withAddedBlanks, withoutSlips } from "./slips.js";
import { spread } from "./spread.js";

// The order of all hunks of a section leaves some places of each:
//
//     hunks        places     forwards   backwards   left
//     first        1, 9           1          1       1         certain
//     second       4              4          4       4
//     third        2, 6, 8        6          8       6, 8
//
// Each hunk goes to its first place below the previous hunk, and from the end to its last place above the next hunk.

/**
 * The places of each hunk that remain if no hunk overlaps the previous one or is above it; null if no order fits.
 * `lengths`: the number of lines of the file that each takes, 0 for a hunk that only adds lines.
 */
export function inOrder(places: readonly (readonly number[])[], lengths: readonly number[]): (readonly number[])[] | null {
  const firsts: number[] = [];
  let floor = 0;
  for (const [n, mine] of places.entries()) {
    const first = bisect(mine, floor);
    if (first === mine.length) return null;
    firsts.push(first);
    floor = mine[first]! + lengths[n]!;
  }
  const left: (readonly number[])[] = [];
  let ceiling = Infinity;
  for (let n = places.length - 1; n >= 0; n--) {
    const end = bisect(places[n]!, ceiling - lengths[n]!, true);
    left.push(places[n]!.slice(firsts[n], end));
    ceiling = places[n]![end - 1]!;
  }
  return left.reverse();
}

/** The places that remain for one hunk. Hints narrow them until one is left. */
export class Candidates {
  /** Whether the lines of the hunk alone leave one place. */
  readonly isOnly: boolean;

  /** `places`: 0-based lines, ascending. There is at least one. */
  constructor(
    readonly hunk: Hunk, readonly old: readonly string[], readonly equality: Equality | "anchor",
    public places: readonly number[],
  ) {
    this.isOnly = places.length === 1;
  }

  /** Keeps only these places; keeps all if there are none. */
  narrow(places: readonly number[]): void {
    if (places.length > 0 && this.places.length > 1) this.places = places;
  }
}

export class CandidateSearch {
  private readonly anchors: Anchors;

  constructor(readonly seeker: LineIndex, private readonly section: FilePatch, readonly placing: ByContent) {
    this.anchors = new Anchors(seeker);
  }

  refusals(hunk: Hunk): Refusals {
    return new Refusals(this.seeker, this.section, hunk, this.placing.equalities.at(-1)!);
  }

  /** The places of a hunk by the strictest equality that has any. Throws if there are none. */
  of(hunk: Hunk): Candidates {
    const { seeker, placing: { mending } } = this;
    if (oldOf(hunk).length === 0) return new Candidates(hunk, [], "anchor", this.insertionLines(hunk));
    for (const [equality, variant] of this.variants(hunk)) {
      const old = oldOf(variant);
      let places = seeker.places(old, equality, MAX_PLACES + 1);
      if (places.length === 0) continue;
      // A reader of the file does not see which of two places has carriage returns.
      if (equality === "exact" && seeker.mixesLineEndings) places = seeker.places(old, "line_endings", MAX_PLACES + 1);
      this.checkBlankLines(variant, places);
      const found = new Candidates(variant, old, equality, places);
      if (variant.endOfFile && places.at(-1) === seeker.lines.length - old.length) found.narrow(places.slice(-1));
      if (found.places.length > MAX_PLACES) throw this.refusals(hunk).ambiguous(found.places);
      return found;
    }
    const read =
      (mending.includes("alignment") ? aligned(seeker, hunk) : null) ??
      (mending.includes("parts") ? spread(seeker, hunk) : null);
    if (read === null) throw this.refusals(hunk).notFound();
    return new Candidates(read.hunk, oldOf(read.hunk), EQUALITY, [read.line]);
  }

  checkMatches(hunk: Hunk): void {
    for (const [equality, one] of this.variants(hunk)) if (this.seeker.places(oldOf(one), equality, 1).length > 0) return;
    throw this.refusals(hunk).notFound();
  }

  /** The places of a hunk within the block of its anchors. */
  byAnchors(found: Candidates): readonly number[] {
    return this.anchors.placesWithin(found.hunk.anchors, found.places, found.old.length);
  }

  /** Each equality with the hunk. Before indentation is ignored, also the hunk without slips in its marks. */
  private *variants(hunk: Hunk): Generator<readonly [Equality, Hunk]> {
    for (const equality of this.placing.equalities) {
      yield [equality, hunk];
      if (equality !== SLIPS_EQUALITY) continue;
      for (const others of withoutSlips(hunk, this.seeker)) {
        const standing = this.standing(others);
        if (standing.length > 1) throw this.refusals(hunk).readTwice(standing.flatMap(({ places }) => places));
        for (const { one } of standing) yield [equality, one];
      }
    }
  }

  /** The hunks that match somewhere, with a few of their places. Of equal changes, only the first. */
  private standing(hunks: readonly Hunk[]): { one: Hunk; places: readonly number[] }[] {
    const found = new Map<string, { one: Hunk; places: readonly number[] }>();
    for (const one of hunks) {
      const old = oldOf(one);
      const places = old.length > 0 ? this.seeker.places(old, SLIPS_EQUALITY, MAX_CANDIDATES) : [];
      const key = JSON.stringify([old, newOf(one)]);
      if (places.length > 0 && !found.has(key)) found.set(key, { one, places });
    }
    return [...found.values()];
  }

  /** Throws if blank lines without a mark are context at one place, and would be added at another. */
  private checkBlankLines(hunk: Hunk, places: readonly number[]): void {
    const others = hunk.unmarked.length > 0 ? this.standing(withAddedBlanks(hunk)) : [];
    if (others.length === 0) return;
    throw this.refusals(hunk).readTwice([...places.slice(0, MAX_CANDIDATES), ...others.flatMap((one) => one.places)]);
  }

  /** The lines above which a hunk that only adds lines may go. */
  private insertionLines(hunk: Hunk): readonly number[] {
    const nLines = this.seeker.lines.length;
    if (nLines === 0 || hunk.endOfFile) return [nLines];
    const below = this.anchors.lines(hunk.anchors).map((line) => line + 1);
    if (below.length === 0) throw this.refusals(hunk).withoutPlace();
    return below;
  }
}

/** The place at the stated 0-based line if no other place is close to it; else null: a place near it is a guess. */
export function nearest(places: readonly number[], stated: number): number | null {
  const n = bisect(places, stated);
  const others = [places[n - 1], places[n + 1]].filter((one) => one !== undefined);
  return places[n] === stated && others.every((one) => Math.abs(one - stated) >= 3) ? stated : null;
}
