/** The tier `drift`: a line or two of the context differ from the file in nothing that matters (section 12). */

import { isComment } from "./comments.js";
import { partners } from "./merge.js";
import { mergeAt, windows } from "./placing.js";
import { type Group, type Place, there } from "./place.js";
import type { Result } from "./types.js";
import type { Query } from "./query.js";
import { ratio } from "./sequences.js";
import { SPACE, WORD, head, keyOf, withoutEnd } from "./text.js";
import { type Likeness, likelyPlaces, reach } from "./votes.js";

const LEAST_EQUAL = 4;
const FAR = 3;
const SCORE = 0.75;
const MARGIN = 0.3;
const MOST_DIFFERING = 2;
const MOST_UNKNOWN = 2;
export const FACTS = new RegExp(
  `\\p{Nd}+|(?<![${WORD}])(?:not|no|never|none|without|un[${WORD}]+|non[${WORD}]+|[${WORD}]+n't|true|false)(?![${WORD}])`, "giu",
);
const ONE_SPACE = new RegExp(`[${SPACE}]`);

export function drift(query: Query): Result | null {
  const { old, file } = query;
  if (query.all || old.solid.length < LEAST_EQUAL + 1) return null;
  const places = likelyPlaces(query);
  const best = places[0];
  if (best === undefined || best.score < SCORE || best.pairs.length < LEAST_EQUAL) return null;
  if (windows(file.keys("FOLDED"), old.keys("FOLDED"), 1).length > 0) return null;
  const [first, last] = reach(best);
  const other = places.find((one) => reach(one)[1] <= first || last <= reach(one)[0]);
  if (other !== undefined && best.score - other.score < MARGIN) return null;
  const place = placeOf(query, best);
  return place && changesOnlyWhatStands(query, place, best) ? mergeAt(query, place, "FOLDED", "drift", true) : null;
}

function placeOf(query: Query, best: Likeness): Place | null {
  const place = aligned(query, best);
  if (place === null) return null;
  const [first, last] = there(place);
  const n = query.old.solid.length;
  if (n - best.pairs.length > MOST_DIFFERING || last - first - n > MOST_UNKNOWN) return null;
  const isAlike = place.groups.every(([ours, theirs]) =>
    isHarmless(query.old.solid[ours[0]]!, query.file.solid[theirs[0]]!, query.path),
  );
  return isAlike ? place : null;
}

/** The place with a line of the file for every line of the search text; null where one lacks. */
function aligned(query: Query, best: Likeness): Place | null {
  const n = query.old.solid.length;
  const [first, last] = [best.pairs[0]!, best.pairs.at(-1)!];
  const start = first[1] - first[0];
  const end = last[1] + n - last[0];
  if (start < 0 || end > query.file.solid.length) return null;
  const groups: Group[] = [];
  let [ours, theirs] = [-1, start - 1];
  for (const [ourNext, theirNext] of [...best.pairs, [n, end] as const]) {
    const [nOurs, nTheirs] = [ourNext - ours - 1, theirNext - theirs - 1];
    if (nOurs > nTheirs || (nOurs > 0 && nOurs !== nTheirs)) return null;
    for (let k = 1; k <= nOurs; k++) groups.push([[ours + k, ours + k + 1], [theirs + k, theirs + k + 1]]);
    if (ourNext < n) groups.push([[ourNext, ourNext + 1], [theirNext, theirNext + 1]]);
    [ours, theirs] = [ourNext, theirNext];
  }
  return { groups };
}

function isHarmless(old: string, here: string, path: string): boolean {
  const [one, other] = [keyOf(old, "FOLDED"), keyOf(here, "FOLDED")];
  if (one === other || plain(one) === plain(other)) return true;
  return isComment(old, path) && isComment(here, path) && facts(one) === facts(other);
}

const plain = (line: string): string => withoutEnd(withoutEnd(line.replace(/['`]/g, '"'), /[,;]/), ONE_SPACE);
const facts = (line: string): string =>
  [...new Set((line.match(FACTS) ?? []).map((one) => one.toLowerCase()))].sort().join(" ");

function changesOnlyWhatStands(query: Query, place: Place, best: Likeness): boolean {
  const { old, put } = query;
  const n = old.solid.length;
  const partner = partners(old.keys("FOLDED"), put.keys("FOLDED"));
  const kept = new Set(partner);
  const touched = new Set<number>();
  for (let one = 0; one < n; one++) if (!kept.has(one)) touched.add(one);
  partner.forEach((one, m) => one !== null && put.indents[m] !== old.indents[one] && touched.add(one));
  const equal = new Set(best.pairs.map(([ours]) => ours));
  if ([...touched].some((one) => !equal.has(one))) return false;
  const added: string[] = [];
  let below = n;
  for (let m = partner.length - 1; m >= 0; m--) {
    const one = partner[m]!;
    if (one !== null) below = one;
    else {
      added.push(put.solid[m]!);
      if ([below - 1, below].some((line) => line >= 0 && line < n && !equal.has(line))) return false;
      touched.add(below);
    }
  }
  return unknownAreFar(query, place, touched, added);
}

function unknownAreFar(query: Query, place: Place, touched: ReadonlySet<number>, added: readonly string[]): boolean {
  const said = (line: string): string => head(keyOf(line, "FOLDED"), 200);
  return place.groups.slice(1).every(([ourNext, theirNext], n) => {
    const [ours, theirs] = place.groups[n]!;
    return query.file.solid.slice(theirs[1], theirNext[0]).every(
      (line) =>
        ![...touched].some((one) => ours[1] - FAR < one && one < ourNext[0] + FAR) &&
        !added.some((one) => ratio(said(line), said(one)) > 0.6),
    );
  });
}
