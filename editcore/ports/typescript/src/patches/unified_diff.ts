/**
 * Unified diffs as models write them: the rule `unified_diff/tolerant`.
 *
 * Lines are recounted, and numbers are hints. Of several places, the order of all hunks decides, then a number, if a place
 * has it. Headers may be bare, missing or one-sided if only one file can be meant. A hunk that matches nowhere is aligned
 * with the file line by line, or placed in parts. A diff that does not fit may have another reading.
 */

import { recommended } from "../stale/recommended.js";
import { placedInFiles } from "../stale/rule.js";
import { count } from "../text.js";
import { type FilePatch, type Files, type FilesResult, orNull, resultOf } from "../types.js";
import { applyByAnyReading } from "./other_readings.js";
import { type Policy, STRICT, TOLERANT } from "./placing/policy.js";
import { checkConflictMarkers } from "./reading/cut_off.js";
import { NamesMatched } from "./reading/file_names.js";
import { type Parsed, parseCounted } from "./reading/unified_strict.js";
import { parseAboveTails, parseTolerant } from "./reading/unified_tolerant.js";
import { applySections } from "./sections.js";

const BOM = "\ufeff";

/**
 * Applies a unified diff to files, all of it or nothing. Never throws. `seen`: the texts that the model saw, of files that
 * were changed since.
 */
export function applyUnifiedDiff(files: Files, patch: string, seen?: Files): FilesResult {
  if (seen === undefined) return resultOf(() => appliedTolerantly(files, endedAlike(patch)));
  return placedInFiles(seen, files, (known) => applyUnifiedDiff(known, patch), recommended, true);
}

/** Applies a diff strictly if possible, since then nothing has to be tolerated; else tolerantly. */
function appliedTolerantly(files: Files, patch: string): Files {
  const paths = new Set(files.keys());
  const strictly = orNull(() => appliedStrictly(files, patch, paths));
  if (strictly !== null) return strictly;
  // Text below a hunk may fit as context elsewhere, so hunks that end where their counts are met go first.
  const aboveTails = orNull(() => {
    const shorter = parseAboveTails(patch, paths);
    return shorter && placed(files, shorter, patch, TOLERANT);
  });
  return aboveTails ?? placed(files, parseTolerant(patch, paths), patch, TOLERANT);
}

function appliedStrictly(files: Files, patch: string, paths: ReadonlySet<string>): Files | null {
  const parsed = parseCounted(patch, new NamesMatched(paths));
  if (!parsed.isPlain || !parsed.sections.every(insertionsAgree)) return null;
  if (![...files.values()].every((text) => tellsEndings(text, patch))) return null;
  const after = placed(files, parsed, patch, STRICT);
  return patch.includes(BOM) || keepsMarks(files, after) ? after : null;
}

function placed(files: Files, parsed: Parsed, patch: string, policy: Policy): Files {
  checkConflictMarkers(files, parsed.sections, patch);
  const mine = parsed.onlyMetadata ? { ...policy, mayChangeNothing: true } : policy;
  return (policy === STRICT ? applySections : applyByAnyReading)(files, parsed.sections, mine);
}

/** The patch; with a CR at its end, if only its last line feed is missing and all other lines end in CRLF. */
function endedAlike(patch: string): string {
  const isWhole = patch.endsWith("\n") || patch.endsWith("\r") || !patch.includes("\r\n");
  return !isWhole && count(patch, "\r\n") === count(patch, "\n") ? `${patch}\r` : patch;
}

/** Whether the two numbers of each hunk that only adds lines agree. Git uses the new one, GNU patch the old one. */
function insertionsAgree(section: FilePatch): boolean {
  let shift = 0;
  return section.hunks.every(({ sourceStart, sourceLength, targetStart, targetLength }) => {
    const agrees = sourceLength || sourceStart === null || targetStart === sourceStart + 1 + shift || section.action !== "update";
    shift += (targetLength ?? 0) - (sourceLength ?? 0);
    return agrees;
  });
}

/** False at the end of a CRLF file whose last line has no ending, for a patch without carriage returns. */
function tellsEndings(text: string, patch: string): boolean {
  if (text.endsWith("\n") || patch.includes("\r") || !text.includes("\r\n")) return true;
  return count(text, "\n") !== count(text, "\r\n");
}

/** Whether byte order marks are still first in their files. A line added above one would push it into the text. */
const keepsMarks = (before: Files, after: Files): boolean =>
  [...after].every(([path, text]) => before.get(path)?.startsWith(BOM) !== true || text.startsWith(BOM));
