export { type Options, TIERS, VERSION, replace } from "./recommended.js";
export { applyEdits } from "./str_replace.js";
export { applyBeginPatch } from "./patches/begin_patch.js";
export { applyUnifiedDiff } from "./patches/unified_diff.js";
export type { Edit } from "./query.js";
export type { Applied, AppliedFiles, Files, FilesResult, Reason, Refused, Result, Span } from "./types.js";
