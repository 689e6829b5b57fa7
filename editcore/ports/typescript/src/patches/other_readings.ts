/**
 * Other readings of a patch that does not apply as it is written. Each must then fit exactly.
 *
 * In doubt, a patch means what it says: lines of a file may begin with two signs, with a space or with an HTML entity. So
 * another reading is tried only after the plain one failed, and has no tolerance of its own.
 */

import { indent, trim } from "../text.js";
import { type FilePatch, type Files, type Hunk, PatchError, orNull } from "../types.js";
import { unescaped } from "./entities.js";
import { type Policy, changes, exactly } from "./placing/policy.js";
import { applySections } from "./sections.js";

type Sections = readonly FilePatch[];

/** Applies a patch as it is written, else by the first other reading that fits exactly. */
export function applyByAnyReading(files: Files, sections: Sections, policy: Policy): Files {
  try {
    return applySections(files, sections, policy);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const isMissing = error.reason === "no_match";
    if (policy.isDiff && !isMissing) throw error;
    const stepwise = isMissing ? orNull(() => applyStepwise(files, sections, policy)) : null;
    if (stepwise !== null) return stepwise;
    for (const undo of SLIPS) {
      const others = undo(sections);
      const after = others && orNull(() => applySections(files, others, exactly(policy, true)));
      if (after) return after;
    }
    throw error;
  }
}

/**
 * Applies the hunks of each file one after the other, each to the result of the previous one. A model that thinks hunk by
 * hunk quotes lines that it has just written. Each hunk must fit exactly once, from the top of the file downwards.
 */
function applyStepwise(files: Files, sections: Sections, policy: Policy): Files {
  const steps = sections.flatMap((section) => {
    if (!section.hunks.every(changes)) throw new PatchError("a hunk changes nothing.", section.patchLine);
    const isApart = section.action === "update" && section.moveTo === null && section.hunks.length > 1;
    return isApart ? section.hunks.map((hunk) => ({ ...section, hunks: [hunk] })) : [section];
  });
  if (steps.length === sections.length) throw new PatchError("no section has several hunks.", 1);
  const last = new Map<string, number>();
  return applySections(files, steps, exactly(policy, false), (path, line) => {
    if (line < (last.get(path) ?? 0)) throw new PatchError("a hunk stands above the one before it.", 1);
    last.set(path, line);
  });
}

const textIndent = (line: string): string => indent(line.slice(1));
const hasText = (line: string): boolean => trim(line.slice(1)) !== "";
const linesOf = (sections: Sections): string[] => sections.flatMap((section) => section.hunks.flatMap((hunk) => hunk.lines));
const changed = (sections: Sections): string[] => linesOf(sections).filter((line) => line[0] !== " ");
const withLines = (sections: Sections, other: (line: string) => string): FilePatch[] =>
  sections.map((section) => ({ ...section, hunks: section.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(other) })) }));

/** The sections with one sign for two; null if a changed line has one sign, or if no line is removed. */
function withSingleSigns(sections: Sections): FilePatch[] | null {
  const lines = changed(sections);
  if (!lines.every((line) => /^(?:--|\+\+)/.test(line)) || !lines.some((line) => line[0] === "-")) return null;
  return withLines(sections, (line) => (line[0] === " " ? line : line.slice(1)));
}

/**
 * The sections without the space after each sign; null if a changed line has no space, or if no line is removed.
 *
 * Null also if an added line may have no such space: then it is indented as old lines of its hunk are.
 */
function withoutSpacesAfterSigns(sections: Sections): FilePatch[] | null {
  const lines = changed(sections).filter(hasText);
  if (!lines.every((line) => line[1] === " ") || !lines.some((line) => line[0] === "-")) return null;
  const found = withLines(sections, (line) => (line[0] === " " || line[1] !== " " ? line : line[0] + line.slice(2)));
  return found.every((section) => section.hunks.every(isShown)) ? found : null;
}

/** Whether the space is seen to follow the sign: no added line, read with it, is indented as an old line. */
function isShown(hunk: Hunk): boolean {
  const indents = new Set(hunk.lines.filter((line) => line[0] !== "+" && hasText(line)).map(textIndent));
  const added = hunk.lines.filter((line) => line[0] === "+" && hasText(line)).map(textIndent);
  const onlyAdds = !hunk.lines.some((line) => line[0] === "-");
  return added.every((one) => !indents.has(`${one} `) && (!onlyAdds || indents.has(one)));
}

const ENTITY = /&(?:lt|gt|amp|quot|apos|#39|#x27);/;
/** A character that an escaped text does not have. */
const BARE = /[<>]|&(?!(?:lt|gt|amp|quot|apos|#39|#x27);)/;

/** The sections with characters for HTML entities; null unless old lines have some, and no line a bare character. */
function withoutEntities(sections: Sections): FilePatch[] | null {
  const lines = linesOf(sections);
  if (!lines.some((line) => line[0] !== "+" && ENTITY.test(line)) || lines.some((line) => BARE.test(line))) return null;
  return withLines(sections, unescaped);
}

const SLIPS = [withSingleSigns, withoutSpacesAfterSigns, withoutEntities];
