/** How new lines are indented: like the search text, or already like the file (section 8). */

import { WORD, shortest, trim } from "./text.js";

const BLOCK_BEGINS = new RegExp(
  `(?:[:{(\\[>]|(?<![${WORD}])(?:then|do|else|begin|try))$|^(?:if|for|while|def|class|do|case|unless)(?![${WORD}])`, "iu",
);

/** The indentation of a line in the search text, and that of the same line in the file. */
export type Indents = readonly [old: string, there: string];
export interface Shared {
  readonly line: number;
  readonly written: string;
  readonly old: string;
  readonly there: string;
}
export interface Shift {
  readonly added: string;
  readonly removed: string;
}
export interface Frame {
  readonly shift?: Shift;
  readonly table?: ReadonlyMap<string, string>;
  readonly first?: Indents;
  /** An indentation that only the first line shows, where this line alone differs in another way. */
  readonly onlyFirst?: string | null;
  /** The least indentation that moves, where lines at the margin stay there. */
  readonly margin?: string;
  readonly isOneDepth?: boolean;
  readonly isLocal?: boolean;
}
type Like = "file" | "search" | null;

export const AS_WRITTEN: Frame = { shift: { added: "", removed: "" } };
export const shifted = (written: string, by: Shift): string | null =>
  written.startsWith(by.removed) ? by.added + written.slice(by.removed.length) : null;
export const sameShift = (one: Shift | null, other: Shift | null): boolean =>
  one?.added === other?.added && one?.removed === other?.removed;
export const beginsBlock = (line: string): boolean => BLOCK_BEGINS.test(trim(line));

/** The shift where the file has the same whitespace more, or less, before every line. */
export function even(pairs: readonly Indents[]): Shift | null {
  if (pairs.length === 0) return null;
  const [old, there] = pairs.reduce((least, one) => (one[0].length < least[0].length ? one : least));
  if (there.endsWith(old)) {
    const added = there.slice(0, there.length - old.length);
    return pairs.every(([other, one]) => one === added + other) ? { added, removed: "" } : null;
  }
  if (!old.endsWith(there)) return null;
  const removed = old.slice(0, old.length - there.length);
  return pairs.every(([other, one]) => other === removed + one) ? { added: "", removed } : null;
}

/** The frame of a new text; null where it is not certain. */
export function frameOf(
  pairs: readonly Indents[], shared: readonly (Shared | null)[], written: readonly string[], lines: readonly string[],
): Frame | null {
  if (written.length === 0 || pairs.every(([old, there]) => old === there)) return AS_WRITTEN;
  const first = shared[0] ?? null;
  if (pairs.slice(1).every(([old, there]) => old === there) && beginsOtherwise(first)) return null;
  let like = byEnds(pairs, written);
  if (like !== "file") {
    const [old, there] = [new Set(pairs.map((one) => one[0])), new Set(pairs.map((one) => one[1]))];
    if (old.size === 1 && there.size > 1) return { isLocal: true };
    const beside = inOtherUnits(pairs) ?? besideMargin(pairs);
    if (beside !== null) {
      const byShared = bySharedLines(shared);
      if (byShared === "file") return like === null ? AS_WRITTEN : null;
      return like === null && byShared === null ? null : beside;
    }
    if (!even(pairs) && even(pairs.slice(0, 1)) && even(pairs.slice(1))) {
      return ownFirstLine(pairs, shared, written, lines);
    }
  }
  const byShared = bySharedLines(shared);
  if (like === null) like = byShared;
  else if (like === "file") {
    if (byShared === "search") return null;
  } else if (written[0] === "" && isLikeFileBelow(pairs, shared, written)) {
    const isFirst = first !== null && first.line === 0 && (pairs[1]![0] !== "" || shared.slice(1).some(Boolean));
    return isFirst ? ownFirstLine(pairs, shared, written, lines) : null;
  } else if (byShared === "file") {
    const kept = shared.findIndex((one) => one !== null);
    if (!lines.slice(0, kept < 0 ? undefined : kept).some(beginsBlock)) return null;
  }
  if (like !== "file" && pairs.length === 1 && mayLackItsFirst(pairs[0]!, written, lines[0]!)) return null;
  like ??= byOneEnd(pairs, written);
  if (like === null) return null;
  return like === "file" ? AS_WRITTEN : frameOfSearch(pairs);
}

const beginsOtherwise = (first: Shared | null): boolean =>
  first !== null && first.line !== 0 && first.written !== first.old && first.written !== first.there;

function mayLackItsFirst([old, there]: Indents, written: readonly string[], line: string): boolean {
  const isOne = old === "" && written[0] === "" && written.length > 1;
  return isOne && written.slice(1).every((one) => one.startsWith(there)) && !beginsBlock(line);
}

function ownFirstLine(
  pairs: readonly Indents[], shared: readonly (Shared | null)[], written: readonly string[], lines: readonly string[],
): Frame | null {
  const first = shared[0] ?? null;
  if (beginsOtherwise(first)) return null;
  const [[old, here], below] = [pairs[0]!, pairs.slice(1)];
  // Nothing says that the lines below are not indented like the file, as the first one is.
  if (!shared.some(Boolean) && old !== here && here === written[0]) return null;
  const onlyFirst = below.some((one) => one[0] === old) ? null : old;
  if ((first !== null && first.line !== 0) || !pairs[0]!.includes(written[0]!)) {
    const { first: _, ...rest } = frameOf(below, shared, written, lines) ?? { isNone: true };
    return "isNone" in rest ? null : { ...rest, onlyFirst };
  }
  const rest = frameOf(below, shared.slice(1), written.slice(1), lines.slice(1));
  return rest && { ...rest, first: [written[0]!, here], onlyFirst };
}

/** The frame of lines of several depths that are each as many times as deep in the file. */
function inOtherUnits(pairs: readonly Indents[]): Frame | null {
  const widths = pairs.filter(([old, there]) => old !== "" || there !== "").map(([old, there]) => [old.length, there.length] as const);
  const [old, there] = widths.reduce((most, one) => (one[0] > most[0] || (one[0] === most[0] && one[1] > most[1]) ? one : most));
  const isEven = old > 0 && there > 0 && widths.every(([one, other]) => one * there === other * old);
  return isEven && new Set(widths.map(String)).size > 1 ? { table: new Map(pairs) } : null;
}

/** The frame of lines that are indented otherwise beside lines at the margin, which tell of no indentation. */
function besideMargin(pairs: readonly Indents[]): Frame | null {
  const indented = pairs.filter(([old, there]) => old !== "" || there !== "");
  const shift = even(indented);
  if (indented.length === pairs.length || shift === null || sameShift(shift, AS_WRITTEN.shift!)) return null;
  if (indented.some(([old, there]) => old === "" || there === "")) return null;
  const depths = new Set(indented.map(([old]) => old));
  return { shift, margin: shortest([...depths]), isOneDepth: depths.size === 1 };
}

function isLikeFileBelow(
  pairs: readonly Indents[], shared: readonly (Shared | null)[], written: readonly string[],
): boolean {
  const below = shared.slice(1);
  if (pairs.length < 2 || below.some((one) => one?.line === 0)) return false;
  const byShared = bySharedLines(below);
  return (
    byShared === "file" ||
    (byShared === null && !below.some(Boolean) && byEnds(pairs.slice(1), written.slice(1)) === "file")
  );
}

function bySharedLines(shared: readonly (Shared | null)[]): Like {
  const kept = shared.filter((one) => one !== null);
  const likeOld = kept.some((one) => one.written === one.old && one.old !== one.there);
  const likeFile = kept.some((one) => one.written === one.there && one.there !== one.old);
  return likeOld === likeFile ? null : likeFile ? "file" : "search";
}

const least = (pairs: readonly Indents[], side: 0 | 1): string => shortest(pairs.map((one) => one[side]));

function byEnds(pairs: readonly Indents[], written: readonly string[]): Like {
  if (written.length === 0) return null;
  const [oldFirst, thereFirst] = pairs[0]!;
  const outermost = shortest(written);
  const likeOld = written[0] === oldFirst && outermost === least(pairs, 0);
  const likeFile = written[0] === thereFirst && outermost === least(pairs, 1);
  if (likeOld !== likeFile) return likeFile ? "file" : "search";
  if (!likeOld) return null;
  const [inOld, inFile] = ([0, 1] as const).map((side) => {
    const some = new Set(pairs.map((one) => one[side]));
    return written.every((one) => some.has(one));
  });
  return inOld === inFile ? null : inFile ? "file" : "search";
}

function byOneEnd(pairs: readonly Indents[], written: readonly string[]): Like {
  const ends = [[least(pairs, 0), least(pairs, 1), shortest(written)], [...pairs[0]!, written[0]!]];
  const said = ends.filter(([old, there, one]) => old !== there && (one === old || one === there));
  const inFile = said.filter(([, there, one]) => one === there).length;
  return said.length > 0 && inFile === said.length ? "file" : said.length > 0 && inFile === 0 ? "search" : null;
}

function frameOfSearch(pairs: readonly Indents[]): Frame {
  const shift = even(pairs);
  if (shift) return { shift };
  const table = new Map<string, string>();
  for (const [old, there] of pairs) {
    if (!table.has(old)) table.set(old, there);
    if (table.get(old) !== there) return { isLocal: true };
  }
  return new Set(table.values()).size === table.size ? { table } : { isLocal: true };
}
