/**
 * Begin/End Patch envelopes as models write them: the rule `begin_patch/lenient`.
 *
 *     *** Begin Patch
 *     *** Update File: path            or *** Add File: path, *** Delete File: path
 *     *** Move to: path                optional
 *     @@ a line above                  optional
 *      context
 *     -removed
 *     +added
 *     *** End of File                  optional
 *     *** End Patch
 *
 * Accepted is what can mean one thing only: blank lines after `@@` and between hunks, empty and stacked `@@`, context lines
 * without their space if the file has the whole line, doubled signs, other marks, wrapping. Each hunk matches by the
 * strictest equality of lines that gives it a place.
 */

import { recommended } from "../stale/recommended.js";
import { placedInFiles } from "../stale/rule.js";
import { beginsWith } from "../text.js";
import { type FilePatch, type Files, type FilesResult, resultOf } from "../types.js";
import { applyByAnyReading } from "./other_readings.js";
import { LENIENT } from "./placing/policy.js";
import { checkConflictMarkers } from "./reading/cut_off.js";
import { parseLenient } from "./reading/lenient.js";

/**
 * Applies an envelope to files, all of it or nothing. Never throws. `seen`: the texts that the model saw, of files that
 * were changed since.
 */
export const applyBeginPatch = (files: Files, patch: string, seen?: Files): FilesResult =>
  seen !== undefined ? placedInFiles(seen, files, (known) => applyBeginPatch(known, patch), recommended) : resultOf(() => {
    const sections = withoutGitPrefixes(parseLenient(patch), files);
    checkConflictMarkers(files, sections, patch);
    return applyByAnyReading(files, sections, LENIENT);
  });

/** The path without what git, or a person who mentions a file, writes before it. */
function barePath(path: string): string {
  if (beginsWith(path, ["a/", "b/"])) return path.slice(2);
  return path.startsWith("@") ? path.slice(1) : path;
}

/** The sections without `a/`, `b/` or `@` before a path that only then names a file. */
function withoutGitPrefixes(sections: readonly FilePatch[], files: Files): FilePatch[] {
  const added = new Set(sections.filter((section) => section.action === "add").map((section) => section.path));
  return sections.map((section) => {
    const [{ path }, bare] = [section, barePath(section.path)];
    const isMeant = section.action !== "add" && files.has(bare) && !files.has(path) && !added.has(path);
    return isMeant ? { ...section, path: bare } : section;
  });
}
