/** Placing the hunks of a diff at their stated lines, exactly. */

import { LineIndex } from "../../line_index.js";
import { type FilePatch, PatchError, oldOf } from "../../types.js";
import { type Placed, nContext } from "./policy.js";

export function placeByNumber(lines: readonly string[], hasLastNewline: boolean, section: FilePatch): Placed[] {
  const seeker = new LineIndex(lines);
  let floor = 0;
  return section.hunks.map((hunk) => {
    const old = oldOf(hunk);
    // The start of an empty range is the line before it.
    const line = (hunk.sourceStart ?? 0) - (old.length > 0 ? 1 : 0);
    const last = lines.length - old.length;
    // Without context below, a hunk reaches the end of the file.
    const atEnd = nContext(hunk.lines) > 0 && hunk.lines.at(-1)![0] !== " ";
    // A hunk whose last old line is the file's last must know whether it has a line feed.
    const agrees = hunk.sourceNoNewline ? line === last && !hasLastNewline : hasLastNewline || line !== last || old.length === 0;
    if (line < floor || (atEnd && line !== last) || !agrees || !seeker.matchesAt(old, "exact", line)) {
      throw new PatchError(`the hunk does not fit ${section.path} at line ${line + 1}: correct its lines and numbers.`, hunk.patchLine, "no_match");
    }
    floor = line + old.length;
    return { hunk, line, nOld: old.length, equality: "exact" };
  });
}
