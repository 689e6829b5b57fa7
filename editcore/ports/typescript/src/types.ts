/** The values that edits and patches are made of, and their results. */

export type Reason =
  | "no_match" | "ambiguous" | "identical" | "empty" | "malformed" | "outside_workspace" | "stale_read" | "not_allowed"
  | "not_found" | "too_large";
export interface Applied {
  readonly status: "applied";
  readonly content: string;
  /** The tier that decided. */
  readonly tier: string;
  /** What was replaced, in order, as offsets in the text before. */
  readonly spans: readonly Span[];
  /** Whether the edit replaces its search text wherever it is. */
  readonly isEverywhere?: boolean;
}
export type Span = readonly [start: number, end: number];
export interface Refused {
  readonly status: "rejected";
  readonly reason: Reason;
  /** One line for the model that must retry: what, where, what to do. */
  readonly message: string;
}
export type Result = Applied | Refused;

export const refused = (reason: Reason, message: string): Refused => ({ status: "rejected", reason, message });

/** Path -> text. Paths are relative, with `/`. */
export type Files = ReadonlyMap<string, string>;
/** The result of a patch: all files afterwards. */
export interface AppliedFiles {
  readonly status: "applied";
  readonly files: Files;
}
export type FilesResult = AppliedFiles | Refused;

/** A change of a patch: the lines to find and the lines to put there. */
export interface Hunk {
  /** Lines without line feeds, each with its mark: space (context), - (removed) or + (added). */
  readonly lines: readonly string[];
  /** The 1-based line of the patch at which the hunk starts. */
  readonly patchLine: number;
  /** Lines above the hunk in the file, the outermost first: the text after @@. */
  readonly anchors: readonly string[];
  /** The numbers of its header, which may be wrong; null without them. */
  readonly sourceStart: number | null;
  readonly sourceLength: number | null;
  readonly targetStart: number | null;
  readonly targetLength: number | null;
  /** Whether the patch says that the hunk reaches the end of the file. */
  readonly endOfFile: boolean;
  /** Whether the patch says that the last old line, or the last new line, has no line feed. */
  readonly sourceNoNewline: boolean;
  readonly targetNoNewline: boolean;
  /** False if the patch may have been cut off within the hunk. */
  readonly closed: boolean;
  /** The indices of context lines that were written without a mark. */
  readonly unmarked: readonly number[];
}

const PLAIN = {
  anchors: [], sourceStart: null, sourceLength: null, targetStart: null, targetLength: null, endOfFile: false,
  sourceNoNewline: false, targetNoNewline: false, closed: true, unmarked: [],
};
export const hunkOf = (lines: readonly string[], patchLine: number, more: Partial<Hunk> = {}): Hunk => ({
  ...PLAIN, ...more, lines, patchLine,
});
/** The lines to find: context and removed lines, without marks. */
export const oldOf = (hunk: Hunk): string[] => withoutMarks(hunk, "+");
/** The lines afterwards: context and added lines, without marks. */
export const newOf = (hunk: Hunk): string[] => withoutMarks(hunk, "-");

function withoutMarks({ lines }: Hunk, but: string): string[] {
  const found: string[] = [];
  for (const line of lines) if (line[0] !== but) found.push(line.slice(1));
  return found;
}

/** A section of a patch: all its changes to one file. */
export interface FilePatch {
  readonly action: "add" | "update" | "delete";
  readonly path: string;
  /** The 1-based line of the patch at which the section starts. */
  readonly patchLine: number;
  readonly moveTo: string | null;
  /** For an added file, one hunk of added lines, or none if it is empty. */
  readonly hunks: readonly Hunk[];
}

const LONGEST_MESSAGE = 1000;

/** A patch that cannot be read or placed. The functions of this package return it as `Refused`. */
export class PatchError extends Error {
  constructor(message: string, line: number | null, readonly reason: Reason = "malformed") {
    let text = message.split(/[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+/).join(" ");
    const half = LONGEST_MESSAGE / 2;
    if (text.length > LONGEST_MESSAGE) text = `${text.slice(0, half)} [...] ${text.slice(-half)}`;
    super(line === null ? text : `line ${line} of the patch: ${text}`);
  }
}

/** The result of a function that returns the files afterwards, or throws a `PatchError`. */
export function resultOf(apply: () => Files): FilesResult {
  try {
    return { status: "applied", files: apply() };
  } catch (error) {
    if (error instanceof PatchError) return refused(error.reason, error.message);
    throw error;
  }
}

/** What a function returns; null if it throws a `PatchError`. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PatchError) return null;
    throw error;
  }
}
