/** The merge of lines (7.8): words and signs are to a line what lines are to a text. */

import { type Change, LONGEST, changes, isAnotherLine } from "./sequences.js";
import { SPACE, WORD, nCodePoints, squeezed } from "./text.js";

const TOKEN = new RegExp(`[${WORD}]+|[${SPACE}]+|[^${WORD}${SPACE}]`, "gu");

/** `theirs` with the changes that make `mine` of `base`; null where that is not certain. */
export function mergedLine(base: string, mine: string, theirs: string): string | null {
  if (base === mine) return theirs;
  if (base === theirs || mine === theirs) return mine;
  if (isAnotherLine(base, mine)) return mine;
  if (Math.max(...[base, mine, theirs].map(nCodePoints)) > LONGEST) return null;
  const [old, ours, there] = [tokens(base), tokens(mine), tokens(theirs)];
  const ofMine = changes(old, ours);
  const kept = changes(old, there).filter((one) => !ofMine.some((other) => isWithin(one, other)));
  const ofTheirs = changes(old, made(old, kept));
  if (ofMine.some((one) => ofTheirs.some((other) => overlap(one, other)))) return null;
  const both = [...ofTheirs.map((one) => ({ one, mine: 0 })), ...ofMine.map((one) => ({ one, mine: 1 }))]
    .sort((a, b) => a.one.start - b.one.start || a.one.end - b.one.end || a.mine - b.mine)
    .map(({ one }) => one);
  const merged = made(old, both).join("");
  return squeezed(base) === squeezed(theirs) && squeezed(merged) !== squeezed(mine) ? null : merged;
}

const tokens = (line: string): string[] => line.match(TOKEN) ?? [];

function made(old: readonly string[], some: readonly Change<string>[]): string[] {
  const out: string[] = [];
  let done = 0;
  for (const one of some) {
    out.push(...old.slice(done, one.start), ...one.put);
    done = one.end;
  }
  return [...out, ...old.slice(done)];
}

function isWithin(one: Change<string>, replaced: Change<string>): boolean {
  if (replaced.start === replaced.end) return false;
  const first = one.start === one.end ? one.start - 1 : one.start;
  return replaced.start <= first && one.end <= replaced.end;
}

function overlap(one: Change<string>, other: Change<string>): boolean {
  if (one.start === one.end && other.start === other.end) return one.start === other.start;
  if (one.start === one.end) return other.start < one.start && one.start < other.end;
  if (other.start === other.end) return one.start < other.start && other.start < one.end;
  return one.start < other.end && other.start < one.end;
}
