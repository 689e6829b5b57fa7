/**
 * Policies: what a reading of patches takes for a place.
 *
 * STRICT places at the stated line. TOLERANT (diffs) and LENIENT (envelopes) place by content: the policy says when two
 * lines are equal, which hints choose among several places, and what may be mended.
 */

import type { Equality } from "../../line_index.js";
import { nFirst } from "../../text.js";
import type { Hunk } from "../../types.js";

/** What decides among several places of a hunk. Its `@@` line and a marked end of the file always do. */
export type Hint = "order" | "numbers" | "closers";
/** What may be mended in hunks that do not fit as they are. */
export type Mending = "overlaps" | "alignment" | "parts";

export interface ByContent {
  /** Equalities of lines, strictest first. The first by which a hunk matches decides. */
  readonly equalities: readonly Equality[];
  readonly hints: readonly Hint[];
  readonly mending: readonly Mending[];
}

export interface Policy {
  /**
   * Whether the patch is a diff: a deletion names all lines of its file, and a missing final line feed is marked. Hunks
   * are in the file's order, or have one place each. A hunk without changes is passed over if it matches somewhere.
   */
  readonly isDiff: boolean;
  /** Null: at the stated line. */
  readonly placing: ByContent | null;
  readonly mayChangeNothing?: boolean;
}

const ALL: readonly Equality[] = ["exact", "line_endings", "right_trimmed", "trimmed", "folded"];
export const STRICT: Policy = { isDiff: true, placing: null };
export const TOLERANT: Policy = {
  isDiff: true,
  placing: { equalities: ALL, hints: ["order", "numbers"], mending: ["overlaps", "alignment", "parts"] },
};
export const LENIENT: Policy = {
  isDiff: false,
  placing: { equalities: ALL, hints: ["order", "numbers", "closers"], mending: ["overlaps", "parts"] },
};

/** The policy with the strict equalities alone, with its hints or none, and no mending of a hunk that matches nowhere. */
export function exactly(policy: Policy, keepsHints: boolean): Policy {
  if (policy.placing === null) return policy;
  const { hints, mending } = policy.placing;
  const equalities = ALL.slice(0, 3);
  return { ...policy, placing: { equalities, hints: keepsHints ? hints : [], mending: mending.filter((one) => one === "overlaps") } };
}

/** A hunk at its place. */
export interface Placed {
  readonly hunk: Hunk;
  /** 0-based. */
  readonly line: number;
  readonly nOld: number;
  /** The equality by which its lines match, or "anchor" if it has no old lines. */
  readonly equality: Equality | "anchor";
  /** Whether its context is indented otherwise than in the file. */
  readonly shifted?: boolean;
}

export const changes = (hunk: Hunk): boolean => hunk.lines.some((line) => line[0] !== " ");
export const nAddedAbove = (hunk: Hunk): number => nFirst(hunk.lines, (line) => line[0] === "+");
export const nContext = (lines: readonly string[]): number => nFirst(lines, (line) => line[0] === " ");
