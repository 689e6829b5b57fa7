/** The headers of one file in a unified diff: its two names, git's extended lines, and the hunks below them. */

import { SPACE, beginsWith, strip, withoutCr } from "../../text.js";
import { type Hunk, PatchError, newOf, oldOf } from "../../types.js";

declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(data: Uint8Array): string;
}

const ESCAPE = /\\(?:([0-3][0-7]{2}|[0-7]{1,2})|([^\n]))/g;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
const TIMESTAMP = new RegExp(
  `\\t[^\\n]*|(?<![${SPACE}])[${SPACE}]+\\p{Nd}{4}-\\p{Nd}\\p{Nd}-\\p{Nd}\\p{Nd}[ T]\\p{Nd}\\p{Nd}:\\p{Nd}\\p{Nd}[^\\n]*`, "u",
);
const STAMP = /\t(1970-01-01|1969-12-31) (\d\d):(\d\d):(\d\d)(?:\.0+)?(?: ([-+])(\d\d)([0-5]\d))?\r?$/;
const METADATA = ["index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index ", "Index: ", "====="];
const EXTENDED = ["rename ", "new file mode", "deleted file mode", "copy ", ...METADATA];
const KINDS = ["Binary files ", "GIT binary patch", "new file mode ", "deleted file mode ", "old mode ", "new mode ", "index "];
const SPECIAL_MODE = / (120000|160000)$/;
const MODE = /^(old|new) mode ([0-7]{6})$/;
const QUOTED_OR_WORD = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[^" ]+/g;
export const NO_FILE = "the hunk belongs to no file: '--- a/PATH' and '+++ b/PATH' are missing.";
export const NO_NAME = "the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'.";
export const NULL = "/dev/null";
/** `/dev/null` with a prefix, as if it were a file of the tree. */
const NULLS = /^[ab]\/\/?dev\/null$/;

type Side = "old" | "new";

export class DiffFile {
  /** Whether the section begins with a line `diff --git`. */
  beginsByGit = false;
  /** The names in that line; null if it can be read in several ways. */
  git: readonly [string, string] | null = null;
  old: string | null = null;
  new: string | null = null;
  renameFrom: string | null = null;
  renameTo: string | null = null;
  created = false;
  deleted = false;
  copied = false;
  readonly modes = new Map<string, string>();
  readonly hunks: Hunk[] = [];
  /** The sides with the time stamp of the epoch: `diff -N` marks a missing file by it. */
  private readonly epoch = new Set<Side>();

  constructor(readonly line: number) {}

  /** The file of a line `diff --git`. */
  static ofGit(line: string, number: number): DiffFile {
    const file = new DiffFile(number);
    const names = gitNames(withoutCr(line).slice(11));
    [file.beginsByGit, file.git] = [true, names && [nullOr(names[0]), nullOr(names[1])]];
    return file;
  }

  get shown(): string {
    const name = this.git ? this.git[1] : this.new || this.old || "";
    return beginsWith(name, ["a/", "b/"]) ? name.slice(2) : name;
  }

  get isNamed(): boolean {
    return Boolean(this.git || this.old || this.new || (this.renameFrom && this.renameTo));
  }

  get modeChanged(): boolean {
    return this.modes.size === 2 && this.modes.get("old") !== this.modes.get("new");
  }

  /** Reads the text after `---` (side "old") or `+++` ("new"). */
  takeName(side: Side, text: string): void {
    this[side] = unquoted(text);
    if (isEpoch(text)) this.epoch.add(side);
  }

  /** The name on one side; /dev/null if the file does not exist on that side. */
  sideName(side: Side): string | null {
    const name = this[side];
    const hunk = this.hunks[0];
    if (this.epoch.has(side) && this.hunks.length === 1) {
      const [start, lines] = side === "old" ? [hunk!.sourceStart, oldOf(hunk!)] : [hunk!.targetStart, newOf(hunk!)];
      return start || lines.length > 0 ? name : NULL;
    }
    return name && nullOr(name);
  }
}

const nullOr = (name: string): string => (NULLS.test(name) ? NULL : name);

/** Whether a file header ends in the time stamp of the epoch, in any time zone. */
function isEpoch(text: string): boolean {
  const found = STAMP.exec(text);
  if (!found) return false;
  const [hour, minute, second, hours, minutes] = [2, 3, 4, 6, 7].map((n) => Number(found[n] ?? 0)) as [number, number, number, number, number];
  if (hour > 23 || minute > 59 || second > 59 || hours > 23) return false;
  const at = (found[1] === "1970-01-01" ? 0 : -86_400) + 3_600 * hour + 60 * minute + second;
  return at === (found[5] === "-" ? -1 : 1) * (3_600 * hours + 60 * minutes);
}

/** The file name of a header, without quotation marks, escapes and time stamp. */
export function unquoted(given: string): string {
  const name = strip(given, "\r");
  if (!/[ \t]|^"/.test(name)) return name;
  if (name.startsWith('"') && name.lastIndexOf('"') > 0) return unescaped(name.slice(1, name.lastIndexOf('"')));
  return strip(name.replace(TIMESTAMP, ""), " \t\r");
}

/** Escapes are bytes; characters beyond ASCII may also be written as themselves. */
function unescaped(inner: string): string {
  const bytes: number[] = [];
  const put = (text: string): void => new TextEncoder().encode(text).forEach((one) => bytes.push(one));
  let done = 0;
  for (const found of inner.matchAll(ESCAPE)) {
    put(inner.slice(done, found.index));
    if (found[1] !== undefined) bytes.push(parseInt(found[1], 8));
    else put(ESCAPES[found[2]!] ?? found[2]!);
    done = found.index + found[0].length;
  }
  put(inner.slice(done));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return bytes.map((one) => String.fromCharCode(one)).join("");
  }
}

function gitNames(rest: string): [string, string] | null {
  if (rest.includes('"')) {
    const names = rest.match(QUOTED_OR_WORD) ?? [];
    return names.length === 2 ? [unquoted(names[0]!), unquoted(names[1]!)] : null;
  }
  if (rest.includes("\t")) return null; // Git quotes a name that has a tab.
  const middle = Math.floor(rest.length / 2);
  const [one, other] = [rest.slice(0, middle), rest.slice(middle + 1)];
  const below = (name: string): string => name.slice(name.indexOf("/") + 1);
  if (rest[middle] === " " && below(one) === below(other)) return [one, other];
  const halves = rest.split(" b/");
  return halves.length === 2 && halves[0] !== "" ? [halves[0]!, `b/${halves[1]}`] : null;
}

/** Throws for a line that makes a file binary, a symbolic link or a submodule. */
export function checkText(files: readonly DiffFile[], given: string, number: number): void {
  if (!beginsWith(given, KINDS)) return;
  const [name, line] = [files.at(-1)?.shown || "a file", withoutCr(given)];
  if (line === "GIT binary patch" || (line.startsWith("Binary files ") && line.endsWith(" differ"))) {
    throw new PatchError(`${name} is changed as a binary file: only text can be patched.`, number);
  }
  const mode = SPECIAL_MODE.exec(line);
  if (!mode) return;
  const kind = mode[1] === "120000" ? "a symbolic link" : "a submodule";
  throw new PatchError(`${name} is ${kind}: only regular files can be patched.`, number, "not_allowed");
}

/** Reads an extended header line of git; false for any other line. */
export function takeHeader(file: DiffFile, line: string): boolean {
  if (!beginsWith(line, EXTENDED)) return false;
  const mode = MODE.exec(line);
  if (line.startsWith("rename from ")) file.renameFrom = unquoted(line.slice(12));
  else if (line.startsWith("rename to ")) file.renameTo = unquoted(line.slice(10));
  else if (line.startsWith("new file mode")) file.created = true;
  else if (line.startsWith("deleted file mode")) file.deleted = true;
  else if (beginsWith(line, ["copy from ", "copy to "])) file.copied = true;
  else if (mode) file.modes.set(mode[1]!, mode[2]!);
  else return beginsWith(line, METADATA);
  return true;
}
