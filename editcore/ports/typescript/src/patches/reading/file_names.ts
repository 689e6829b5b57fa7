/**
 * The file of a section of a unified diff, and what the section does to it.
 *
 * A name as written is preferred if a file has it. A prefix of git is dropped only if none does.
 */

import { folders, normpath } from "../../paths.js";
import { beginsWith, strip } from "../../text.js";
import { type FilePatch, PatchError } from "../../types.js";
import { type DiffFile, NO_NAME, NULL } from "./file_headers.js";

/** Prefixes that git writes before the names of the two sides; see `diff.mnemonicPrefix`. */
const PREFIXES = ["a/", "b/", "i/", "w/", "o/", "c/"];
const AROUND = "`'\" ";
const ABSOLUTE = /^(?:\/|[A-Za-z]:\/|~\/)/;
/** Text that other programs write behind a name: a time in words, or a revision. */
const NOTE = /(?<! ) +(?:\((?:revision \d+|working copy|nonexistent)\)|(?:[A-Z][a-z]{2},? +){1,2}\d{1,2} [^\n]{0,40}\d\d:\d\d[^\n]*)$/;
const MOST_READINGS = 4;
/** A name that programs write if a text has none. */
const PLACEHOLDER =
  /^(?:[-ab]?|(?:old|new|original|modified|before|after|from|to|left|right|current|updated|source|target|file|\/dev\/(?:stdin|stdout|fd\/\d+)))$/iu;
/** The side of a change behind the name of a file, as in `x.py.orig` and `x.py (modified)`. */
const SIDE = /(?:\.(?:old|new|orig|original|modified|before|after|bak)|~|(?<! ) +\([a-z]{1,9}\))$/iu;

type Names = readonly [old: string, now: string];

const hasPrefix = (name: string): boolean => beginsWith(name, PREFIXES);
export const withoutPrefix = (name: string): string => (hasPrefix(name) ? name.slice(2) : name);

/** Whether a name in a header may be that of the only file: it is its name, but for its side, or none at all. */
export function standsFor(name: string, path: string): boolean {
  const bare = strip(withoutPrefix(name), AROUND).replace(SIDE, "");
  return PLACEHOLDER.test(bare) || bare === path;
}

const arePrefixed = ([old, now]: Names): boolean => hasPrefix(old) && hasPrefix(now) && old.slice(0, 2) !== now.slice(0, 2);
/** The name behind two different prefixes of git, as in `a/x.py` and `b/x.py`; null for any other two names. */
const commonName = (names: Names): string | null =>
  arePrefixed(names) && names[0].slice(2) === names[1].slice(2) ? names[0].slice(2) : null;

/** Throws if both names of a header are names of files, and of different ones. */
function checkOne(found: readonly string[], line: number): void {
  if (new Set(found.map(normpath)).size !== 2) return;
  throw new PatchError(`${found[0]} and ${found[1]} are both there, and there is no 'rename from': name one file on both sides.`, line, "ambiguous");
}

/** Ends of a name that consist of whole parts of it and have one of these lengths. */
function endings(name: string, lengths: ReadonlySet<number>): string[] {
  const found: string[] = [];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
    if (lengths.has(name.length - at - 1)) found.push(name.slice(at + 1));
  }
  return found;
}

export class NamesMatched {
  private readonly lengths: ReadonlySet<number>;
  private readonly folders: ReadonlySet<string>;
  private readonly foldersLengths: ReadonlySet<number>;

  constructor(private readonly paths: ReadonlySet<string>) {
    this.lengths = new Set([...paths].map((path) => path.length));
    this.folders = new Set([...paths].flatMap(folders));
    this.foldersLengths = new Set([...this.folders].map((one) => one.length));
  }

  /** The file that the two names mean, else the one in git's header, else the old name without a prefix. */
  existing(file: DiffFile, names: Names): string {
    let found = this.matched(file, names);
    if (file.git && !file.git.includes(NULL)) {
      if (found === null) found = this.matched(file, file.git);
      else {
        const byGit = new Set(file.git.map((name) => this.known(name)));
        if (byGit.size === 1) checkOne([found, ...[...byGit].filter((one) => one !== null)], file.line);
      }
    }
    return found || withoutPrefix(this.unquoted(names[0]));
  }

  /** The file that the two names of a header mean; null if there is none. Throws if there are two. */
  private matched(file: DiffFile, names: Names): string | null {
    const hasNull = file.old === NULL || file.new === NULL;
    const sides = file.git && hasNull ? file.git : names;
    let common = commonName(sides);
    if (common !== null && this.paths.has(common) && normpath(common) === common) return common;
    common = commonName([this.clean(sides[0]), this.clean(sides[1])]);
    if (common !== null && this.paths.has(normpath(common))) return normpath(common);
    const [old, now] = names;
    if (!file.git && hasNull) this.checkPrefix(old, file.line);
    const found = this.known(old);
    if (old === now) return found;
    const other = this.known(now);
    checkOne([...new Set([found, other])].filter((one) => one !== null && one !== "") as string[], file.line);
    if (found !== null && other === null && arePrefixed(names)) {
      throw new PatchError(`${found} is ${withoutPrefix(now)} on the new side, and there is no 'rename from': name one file on both sides, or say that it is renamed.`, file.line, "ambiguous");
    }
    return found || other;
  }

  /** Throws if files with the name and with the name without its possible prefix both exist. */
  private checkPrefix(name: string, line: number): void {
    const clean = this.clean(name);
    if (!hasPrefix(clean) || !this.paths.has(clean) || !this.paths.has(clean.slice(2))) return;
    throw new PatchError(`${clean} and ${clean.slice(2)} are both there: begin the section with 'diff --git OLD NEW'.`, line, "ambiguous");
  }

  /** The file that a name means, with or without a prefix; else the only path that an absolute name ends with. */
  known(given: string): string | null {
    let name = given;
    for (let n = 0; n < MOST_READINGS; n++) {
      const clean = this.clean(name);
      for (const one of [clean, withoutPrefix(clean)]) if (this.paths.has(one)) return one;
      if (clean.includes("\\")) {
        name = name.replaceAll("\\", "/");
        continue;
      }
      const ending = ABSOLUTE.test(clean) ? this.ending(clean) : null;
      if (ending !== null) return ending;
      name = clean.replace(NOTE, "");
    }
    return null;
  }

  /** The only path that an absolute name ends with; null if the part above it is a directory of the files. */
  private ending(name: string): string | null {
    const found = endings(name, this.lengths).filter((path) => this.paths.has(path));
    if (found.length !== 1) return null;
    const above = name.slice(0, -found[0]!.length - 1);
    return endings(above, this.foldersLengths).some((folder) => this.folders.has(folder)) ? null : found[0]!;
  }

  private clean(name: string): string {
    return normpath(this.unquoted(name));
  }

  /** The name without quotation marks around it, unless they are part of the name of a file. */
  private unquoted(name: string): string {
    return [name, withoutPrefix(name)].some((one) => this.paths.has(normpath(one))) ? name : strip(name, AROUND);
  }

  /** The name of a new file without a prefix. The two names of git's header show whether it has one. */
  created(file: DiffFile, given: string): string {
    const [name, { git }] = [strip(given, AROUND), file];
    if (git && git.includes(name) && git[0] === git[1]) return name; // As with `diff.noprefix`.
    return beginsWith(name, ["a/", "b/"]) || (git !== null && commonName(git) !== null) ? withoutPrefix(name) : name;
  }

  /** The file under its old name, and its new name. The new one loses a prefix that git's header has, too. */
  renamed(file: DiffFile, old: string, given: string): Names {
    const path = this.known(old);
    if (path === null) return [old, given];
    const name = strip(given, AROUND);
    const below = file.git ? file.git[1] : file.new;
    if (!beginsWith(name, ["a/", "b/"]) || (below !== null && withoutPrefix(below) === name)) return [path, name];
    return [path, below === name || path === this.clean(old).slice(2) ? name.slice(2) : name];
  }
}

/** The section that the headers and hunks of a file make. Throws if they contradict each other. */
export function sectionOf(file: DiffFile, names: NamesMatched): FilePatch {
  let [old, now] = [file.sideName("old"), file.sideName("new")];
  const { git, renameFrom, renameTo, line, hunks } = file;
  const outside = [old, now, ...(git ?? []), renameFrom, renameTo].find((name) => name?.split("/").includes(".."));
  if (outside) throw new PatchError(`'${outside}' is not a path inside the files: give a relative one.`, line, "outside_workspace");
  if (git) {
    old ??= file.created ? NULL : git[0];
    now ??= file.deleted ? NULL : git[1];
  } else if (renameFrom !== null && renameTo !== null) [old, now] = [old || renameFrom, now || renameTo];
  if (old === null || now === null) throw new PatchError(NO_NAME, line);
  if (file.copied) throw new PatchError("copies are not supported: add the file instead.", line, "not_allowed");
  if (old === NULL && now === NULL) throw new PatchError("both names are /dev/null: give that of the file.", line);
  if (file.created && renameFrom !== null) {
    throw new PatchError("the header says that the file is new, and that another one is renamed to it.", line);
  }
  if (file.deleted && now !== NULL) {
    throw new PatchError("the header says that the file is deleted, its new name that it is not.", line);
  }
  if (old === NULL) {
    const path = names.created(file, now);
    if (path !== "" && path.split("/").some((part) => part !== strip(part, " "))) {
      throw new PatchError(`'${path}' is no name: a part of it begins or ends in a space.`, line);
    }
    return creation(path, file);
  }
  const made = { action: "update" as const, patchLine: line, moveTo: null, hunks };
  if (now === NULL) return { ...made, action: "delete", path: names.existing(file, [old, old]) };
  if (renameFrom !== null && renameTo !== null) {
    const [path, moveTo] = names.renamed(file, renameFrom, renameTo);
    return { ...made, path, moveTo };
  }
  return { ...made, path: names.existing(file, [old, now]) }; // Two names without a rename mean one file.
}

/** The section that adds a file. Throws if it has anything but added lines in one hunk. */
function creation(path: string, file: DiffFile): FilePatch {
  if (file.hunks.length > 1 || file.hunks.some((hunk) => hunk.lines.some((line) => line[0] !== "+"))) {
    throw new PatchError("a new file has nothing but added lines, in one hunk.", file.line);
  }
  return { action: "add", path, patchLine: file.line, moveTo: null, hunks: file.hunks };
}
