/**
 * The patch in a text that carries it: a JSON document, a here-document of a shell, quotes around the whole.
 *
 * Carriers may be in each other. One is undone only if nothing outside of it looks like a part of a patch.
 */

import { isBlank, SPACE, stripped, strippedStart, WORD } from "../../text.js";

const MOST_CARRIERS = 4;
const MOST_VALUES = 1000;
const HERE = new RegExp(
  `<<(?<tabs>-?)[ \\t]*(?<quote>['"]?)(?=(?<word>[${WORD}]+))\\k<word>\\k<quote>(?<rest>[^\\n]{0,300})\\n`, "gu",
);
/** A command on one line, and the quotation mark before a patch. That behind `-c` may be before another command. */
const OPENING = new RegExp(
  "^(?<command>(?:[^'\"`\\n]|'[^'\\n]{0,99}'|\"[^\"\\n]{0,99}\"){0,1000}?)" +
    `(?<![^${SPACE}=(])(?<quote>"""|'''|["'\`])` +
    `(?:(?<=c [^\\n])|(?=[${SPACE}]*(?:diff --git |Index: |--- |@@ |\\*\\*\\* |<{5})))`,
  "u",
);
const QUOTE_IN_QUOTES = /'(?:\\'|"'")'/g;
const SIGN_IN_QUOTES = /\\([\\"$`])/g;

/** The patch in a text; the text itself if nothing carries it. `signs`: beginnings of its lines, the best ones first. */
export function unwrapped(text: string, signs: readonly RegExp[]): string {
  for (let n = 0; n < MOST_CARRIERS; n++) {
    const inner = inJson(text, signs) ?? (inHereDocument(text, signs) || inQuotes(text, signs));
    if (inner === null) break;
    text = inner;
  }
  return text;
}

/** The only string of a document that contains a sign; or a whole patch on one line, as a string. */
function inJson(given: string, signs: readonly RegExp[]): string | null {
  const text = stripped(given);
  const isLine = !text.includes("\n") && (text.includes("\\n") || text.includes("{"));
  if (!isLine && !(/^[{[]/.test(text) && text.includes("\\n"))) return null;
  let value: unknown = null;
  try {
    value = JSON.parse(/^["{[]/.test(text) ? text : `"${text}"`);
  } catch {
    return null;
  }
  if (typeof value === "string") return value;
  const strings = stringsIn(value);
  const found = signs.map((sign) => strings.filter((one) => sign.test(one))).find((some) => some.length > 0);
  return found?.length === 1 ? found[0]! : null;
}

function stringsIn(value: unknown): string[] {
  const [found, waiting]: [string[], unknown[]] = [[], [value]];
  for (let n = 0; n < MOST_VALUES && waiting.length > 0; n++) {
    const one = waiting.pop();
    if (typeof one === "string") found.push(one);
    else if (typeof one === "object" && one !== null) for (const part of Object.values(one)) waiting.push(part);
  }
  return found;
}

function inHereDocument(text: string, signs: readonly RegExp[]): string | null {
  const sign = text.includes("<<") ? signs.find((one) => one.test(text)) : undefined;
  const here = sign && hereDocument(text, sign);
  return here && !sign.test(here.above) && !sign.test(here.below) ? here.body : null;
}

/** The first here-document of a script that contains a sign, and the script before `<<` and below the last line. */
function hereDocument(script: string, sign: RegExp): { body: string; above: string; below: string } | null {
  const signs = new RegExp(sign.source, "g");
  for (let at = 0; ; at = signs.lastIndex) {
    signs.lastIndex = at;
    const inner = signs.exec(script);
    if (inner === null) return null;
    const opening = [...script.slice(at, inner.index).matchAll(HERE)].at(-1);
    if (opening === undefined) continue;
    const closing = new RegExp(`(?<![^\\n])[ \\t]*${opening.groups!["word"]}[ \\t]*\\r?(?![^\\n])`, "gu");
    closing.lastIndex = signs.lastIndex;
    const end = closing.exec(script);
    if (end === null) return null;
    let body = script.slice(at + opening.index + opening[0].length, end.index);
    if (opening.groups!["tabs"] && body.split("\n").every((line) => isBlank(line) || line.startsWith("\t"))) {
      body = body.replace(/(?<![^\n])\t+/g, "");
    }
    return { body, above: script.slice(0, at + opening.index), below: script.slice(closing.lastIndex) };
  }
}

/** The patch in quotation marks, with or without a command of a shell before them, as the shell reads it. */
function inQuotes(given: string, signs: readonly RegExp[]): string | null {
  const text = strippedStart(given);
  const opening = OPENING.exec(text);
  if (opening === null) return null;
  const { command, quote } = opening.groups as { command: string; quote: string };
  const [start, end] = [opening[0].length, text.lastIndexOf(quote)];
  let body = text.slice(start, end);
  if (body.startsWith("\n")) body = body.slice(1);
  if (end <= start || !isClosed(text.slice(end + quote.length)) || !signs.some((one) => one.test(body))) return null;
  if (quote === "'" && !body.replace(QUOTE_IN_QUOTES, "").includes("'")) body = body.replace(QUOTE_IN_QUOTES, "'");
  else if (quote === '"' && body.includes('"') && !body.replace(SIGN_IN_QUOTES, "").includes('"')) {
    body = body.replace(SIGN_IN_QUOTES, "$1");
  } else if (body.includes(quote) && !isBlank(command)) return null;
  return body.endsWith("\n") ? body : `${body}\n`;
}

/** Whether only the rest of a command, on one line, follows the quotation mark. */
function isClosed(below: string): boolean {
  const rest = below.replace(/^[ \t]+/, "");
  return isBlank(rest.replace(/^[|;&)>][^\n'"`]*/, ""));
}
