/**
 * New definitions below a closing line: the place of a hunk whose only context is a line such as `}`.
 *
 *     hunk  | }                 file, below the previous hunk |    return 1
 *           |+                                                |}              <- the first such line
 *           |+func added() {                                  |
 *           |+}                                               |func next() {
 *
 * Each such line is a border between definitions, where one more does no harm. The place must be between two
 * definitions, judged by indentation, blank lines and first words.
 */

import { indent, trim } from "../../text.js";
import type { Hunk } from "../../types.js";

const CLOSER = /^(?:[)\]}]+(?:[;,][;,)]*)?|end)$/;
const MODIFIER =
  "(?:pub(?:\\([a-z: ]{1,40}\\))?|export|default|async|static|private|protected|public|internal|abstract|final" +
  "|override|virtual|unsafe|extern|inline|open|sealed|suspend|partial|readonly|declare|local|const) ";
// All modifiers are read at once: a lookahead is not tried again.
const DEFINITION = new RegExp(
  `^(?:(?=((?:${MODIFIER})*))\\1(?:fn|func|fun|function|def|defp|class|struct|enum|trait|impl|interface|type|module|mod|namespace` +
    "|record|protocol|extension|macro_rules!|object|union|it|test|describe|context|specify)" +
    "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))" +
    `|(?=((?:${MODIFIER})+))\\2[^(=]{0,200}[\\p{L}\\p{N}_]\\()`,
  "u",
);
const LONGEST_BLOCK = 2_000;
/** Comments, attributes and decorators: they belong to the line below them. */
const ABOVE_DEFINITION = /^(?:\/\/|\/\*|\*|#|@|--|\[)/;

const width = (line: string): number => indent(line).length;

/**
 * The first place of a hunk that adds definitions below a closing line; null for any other hunk or place. `places`: the
 * 0-based lines that order and anchors leave, all below `floor`, the end of the previous hunk.
 */
export function placeBelowCloser(
  hunk: Hunk, places: readonly number[], lines: readonly string[], floor: number,
): number | null {
  const parts = contextAndAdded(hunk);
  if (parts === null) return null;
  const [above, added] = parts;
  const last = above.at(-1)!;
  const solid = added.filter((line) => trim(line) !== "");
  const isBetweenBlanks = trim(added[0]!) === "" || trim(added.at(-1)!) === "";
  if (!CLOSER.test(trim(last)) || solid.length === 0 || !isBetweenBlanks) return null;
  const [depth, depths] = [width(last), solid.map(width)];
  const isFlat = depths[0] === depth && depths.at(-1) === depth && depths.every((one) => one >= depth);
  if (!isFlat || !defines(solid, depth)) return null;
  const at = places[0]! + above.length - 1;
  const isBorder = closesDefinition(lines, at, depth) && isEnd(lines, at + 1, depth);
  return isBorder && isSibling(lines, floor, at, depth) ? places[0]! : null;
}

/** The context lines, and the added lines below them; null unless the hunk consists of just these. */
function contextAndAdded(hunk: Hunk): readonly [string[], string[]] | null {
  const marks = hunk.lines.map((line) => line[0]).join("");
  const found = /^( +)(\++) *$/.exec(marks);
  if (!found) return null;
  const [first, end] = [found[1]!.length, found[1]!.length + found[2]!.length];
  return [hunk.lines.slice(0, first).map((line) => line.slice(1)), hunk.lines.slice(first, end).map((line) => line.slice(1))];
}

/** Whether the first line that is no comment or attribute begins a definition. */
function defines(solid: readonly string[], depth: number): boolean {
  const first = solid.filter((line) => width(line) === depth).map(trim).find((line) => !ABOVE_DEFINITION.test(line));
  return DEFINITION.test(first ?? "");
}

/** Whether a closing line ends a block that begins, at the same indentation, with a definition; at the margin, any block. */
function closesDefinition(lines: readonly string[], at: number, depth: number): boolean {
  for (let n = at - 1; n > Math.max(at - LONGEST_BLOCK, -1); n--) {
    const text = trim(lines[n]!);
    if (text === "" || width(lines[n]!) > depth) continue;
    if (width(lines[n]!) < depth) return false;
    if (!")]}".includes(text[0]!)) return depth === 0 || DEFINITION.test(text);
  }
  return false;
}

/** Whether the line below a closing line is blank, closes a larger block, or begins the next definition. */
function isEnd(lines: readonly string[], below: number, depth: number): boolean {
  const line = lines[below] ?? "";
  const text = trim(line);
  if (text === "" || (")]}".includes(text[0]!) && width(line) < depth)) return true;
  return width(line) === depth && (DEFINITION.test(text) || ABOVE_DEFINITION.test(text));
}

/** Whether no block around the previous hunk ends above the place. */
function isSibling(lines: readonly string[], floor: number, at: number, depth: number): boolean {
  return depth === 0 || lines.slice(floor, at).every((line) => trim(line) === "" || width(line) >= depth);
}
