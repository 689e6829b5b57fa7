/** The envelope in a text: models wrap prose and code fences around it, and decorate its markers. */

import { SPACE, WORD, beginsWith, isBlank, stripped, strippedEnd, withoutEnd } from "../../text.js";
import { type FilePatch, PatchError } from "../../types.js";
import { checkHead } from "./cut_off.js";
import { BEGIN, END, HEADERS, UPDATE, linesOf } from "./envelope.js";
import { unwrapped } from "./unwrapping.js";

const SIGNS = [[BEGIN], HEADERS].map(
  (begin) => new RegExp(`(?<![^\\n])\\t*(?:${begin.map((one) => one.replaceAll("*", "\\*")).join("|")})`),
);
// No two runs of spaces meet in a pattern: lines of a model are read in linear time.
const LOOSE_BEGIN = new RegExp(`^[${SPACE}\`>]*[*_]{2,6} *begin (?:of )?patch *(?:: *)?(?:[*_]+ *)?$`, "iu");
const LOOSE_END = new RegExp(`^[${SPACE}\`]*[*_]{2,6} *end (?:of )?patch *(?:: *)?(?:[*_]+|\\([^*]*\\))?$`, "iu");
const BELOW_END = new RegExp(`[${SPACE}\`]`);
const VERBS: Readonly<Record<string, string>> = { remove: "delete", modify: "update", edit: "update" };
const LOOSE_HEADER = new RegExp(
  `^[${SPACE}]*(?:\\*\\*\\*|(?=\\*+ *[${WORD}]+ File *:)\\*{2,5}) *(Add|Delete|Update|Remove|Modify|Edit)(?: File(?: *:|(?= ))| *:)([^]*)$`, "iu",
);
const GLUED_BEGIN = /^(\*\*\* Begin Patch) *(?=\*\*\* (?!End ))/;
const HERE = new RegExp(`^(?:cat|apply_patch)?[${SPACE}]*<<-?[${SPACE}]*['"]?[${WORD}]`, "u");
const SENTENCE = new RegExp(`^[A-Z][${WORD}']*(?: [^${SPACE}]+){3,}$`, "u");
const PROSE = /^[A-Za-z`(]/;
const TEXTS = [".md", ".mdx", ".rst", ".txt", ".adoc", ".tex", ".html"];
const FENCE = new RegExp(`^(?:\`\`\`|~~~)[${WORD}]*[${SPACE}]*$`, "u");

/** The lines of an envelope, and what was found around them. */
export interface Envelope {
  readonly lines: string[];
  /** The 0-based line below the begin marker. */
  first: number;
  /** The line of the end marker, or one past the last line. */
  end: number;
  ended: boolean;
  /** Whether the last line is whole: it has a line feed, or text follows it. */
  complete: boolean;
  /** The lines that may be markers, ascending, also outside of the envelope. */
  readonly starred: readonly number[];
}

/** The envelope in a text. Throws if there is none, or more than one. */
export function envelopeIn(given: string): Envelope {
  const text = unwrapped(given, SIGNS);
  const lines = linesOf(text.startsWith("\ufeff") ? text.slice(1) : text);
  const glued = lines.findIndex((line) => GLUED_BEGIN.test(line));
  if (glued >= 0) lines.splice(glued, 1, ...lines[glued]!.replace(GLUED_BEGIN, "$1\n").split("\n"));
  const starred = lines.flatMap((line, n) => (line.includes("**") ? [n] : []));
  const envelope = { lines, first: 0, end: lines.length, ended: false, complete: text.endsWith("\n"), starred };
  findBounds(envelope);
  return envelope;
}

/** The action and the path as written, of a file header; null for any other line. */
export function looseHeader(line: string): { readonly action: FilePatch["action"]; readonly path: string } | null {
  const found = LOOSE_HEADER.exec(line);
  const verb = found?.[1]!.toLowerCase() ?? "";
  return found && { action: (VERBS[verb] ?? verb) as FilePatch["action"], path: found[2]! };
}

const isIndented = (line: string): boolean => line.startsWith(" ") || line.startsWith("\t");

function findBounds(envelope: Envelope): void {
  const { lines, starred } = envelope;
  let begin = starred.find((n) => LOOSE_BEGIN.test(lines[n]!));
  if (begin === undefined) {
    const header = starred.find((n) => LOOSE_HEADER.test(lines[n]!));
    if (header === undefined) throw new PatchError(`there is no '${BEGIN}' and no file header: '${UPDATE}PATH' begins a section.`, 1);
    checkHead(lines, 0, header);
    begin = header - 1;
  }
  const below = starred.filter((n) => n > begin!);
  if (below.length > 0 && LOOSE_BEGIN.test(lines[below[0]!]!) && lines.slice(begin + 1, below[0]).every(isBlank)) {
    begin = below.shift()!;
  }
  const again = below.find((n) => LOOSE_BEGIN.test(lines[n]!) && !isIndented(lines[n]!));
  if (again !== undefined) throw new PatchError(`'${BEGIN}' stands there twice: send one patch at a time.`, again + 1);
  envelope.first = begin + 1;
  if (!findEnd(envelope, below)) endAtLastLine(envelope);
  dropInnerFence(envelope);
}

/** Ends the envelope at its end marker; false without one. */
function findEnd(envelope: Envelope, below: readonly number[]): boolean {
  const { lines, first } = envelope;
  const inner = Math.max(lines.findLastIndex((line) => !isWrapping(line)), first - 1);
  // An indented end marker is a context line, unless only wrapping follows.
  const end = below.find((n) => LOOSE_END.test(withoutEnd(lines[n]!, BELOW_END)) && (!isIndented(lines[n]!) || n >= inner));
  if (end === undefined) return false;
  const after = below.find((n) => n > end && LOOSE_HEADER.test(lines[n]!));
  if (after !== undefined) throw new PatchError(`a section follows after '${END}': put it before.`, after + 1);
  [envelope.end, envelope.ended] = [end, true];
  return true;
}

function isWrapping(line: string): boolean {
  const text = stripped(line);
  return beginsWith(text, ["```", "~~~"]) || ["", "EOF", "'EOF'", "PATCH"].includes(text) || HERE.test(text);
}

function endAtLastLine(envelope: Envelope): void {
  const { lines, first } = envelope;
  let last = lines.length;
  while (last > first && isWrapping(lines[last - 1]!)) {
    last--;
    envelope.complete ||= !isBlank(lines[last]!);
  }
  const end = aboveProse(envelope, last);
  if (end < last) envelope.complete = true;
  envelope.end = last = end;
  if (last <= first) return;
  if (hasGluedFence(lines, first, last)) {
    lines[last - 1] = lines[last - 1]!.slice(0, -3);
    envelope.complete = true;
  }
  const glued = withoutEnd(lines[last - 1]!, / /);
  envelope.ended = glued.endsWith(END) && glued !== END;
  if (envelope.ended) lines[last - 1] = glued.slice(0, -END.length);
}

/** Whether the last line of an envelope ends in the fence that closes the one above it, behind other text. */
function hasGluedFence(lines: readonly string[], first: number, last: number): boolean {
  const line = lines[last - 1]!;
  if (!line.endsWith("```") || line.length <= 4 || lines.slice(last).some((one) => one !== "")) return false;
  return lines.slice(0, first).filter((one) => FENCE.test(one)).length % 2 === 1;
}

/** The end of an envelope without end marker: above paragraphs of sentences, which no file of code has. */
function aboveProse(envelope: Envelope, given: number): number {
  const { lines, first, starred } = envelope;
  const header = starred.findLast((n) => LOOSE_HEADER.test(lines[n]!));
  const path = header === undefined ? null : strippedEnd(looseHeader(lines[header]!)!.path);
  if (path === null || TEXTS.some((one) => path.endsWith(one))) return given;
  for (let end = given; ; ) {
    let start = end;
    while (start > first && !isBlank(lines[start - 1]!)) start--;
    const isProse = SENTENCE.test(lines[start] ?? "") && /[.!:?]$/.test(lines[start]!);
    if (start <= first || !isProse || !lines.slice(start, end).every((line) => PROSE.test(line))) return end;
    end = start;
    while (end > first && isWrapping(lines[end - 1]!)) end--;
  }
}

/** Leaves out a code fence right inside of both markers. A file's own fence would have a mark. */
function dropInnerFence(envelope: Envelope): void {
  const { lines, first, end } = envelope;
  if (end - first < 2 || !FENCE.test(lines[first]!) || !FENCE.test(lines[end - 1]!)) return;
  [envelope.first, envelope.end] = [first + 1, end - 1];
}
