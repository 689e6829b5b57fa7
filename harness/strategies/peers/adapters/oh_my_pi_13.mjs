// The edit tool of oh-my-pi 13.19, without its reading and writing of the file.
// Calls are in its own fields, or in those of 13.0 to 13.14, which say the same.

import { Refusal, load, serve } from "./protocol.mjs";

const {
  HashlineMismatchError, applyHashlineEdits, detectLineEnding, hashlineParseText, normalizeToLF, parseTag,
  restoreLineEndings, stripBom,
} = await load("@oh-my-pi/pi-coding-agent/src/patch/index.ts");

function inEarlierFields(edit) {
  const { loc, content: lines } = edit;
  if (loc === undefined) return edit;
  if (typeof loc === "string") return { op: loc, lines };
  if (loc.range) return { op: "replace", ...loc.range, lines };
  const [op] = Object.keys(loc);
  return { op, pos: loc[op], lines };
}

function anchored({ op, pos, end, lines }) {
  const [first, last] = [pos, end].map((anchor) => anchor && parseTag(anchor));
  const given = { lines: hashlineParseText(lines) };
  if (op === "replace") {
    if (!first && !last) throw new Error("Replace requires at least one anchor (pos or end).");
    if (first && last) return { op: "replace_range", pos: first, end: last, ...given };
    return { op: "replace_line", pos: first || last, ...given };
  }
  if (op !== "append" && op !== "prepend") throw new Error(`There is no op ${op}.`);
  const at = op === "append" ? first ?? last : last ?? first;
  return at ? { op: `${op}_at`, pos: at, ...given } : { op: `${op}_file`, ...given };
}

function reason(error) {
  if (error instanceof HashlineMismatchError) return "stale_read";
  return /does not exist/.test(error.message) ? "not_found" : "malformed";
}

function edited(text, edits) {
  try {
    return applyHashlineEdits(text, edits.map(anchored)).lines;
  } catch (error) {
    throw new Refusal(reason(error), error.message);
  }
}

function created(edits) {
  const lines = [];
  for (const { op, pos, end, lines: given } of edits) {
    if (pos || end || (op !== "append" && op !== "prepend")) throw new Refusal("not_found", "File not found");
    lines.splice(op === "append" ? lines.length : 0, 0, ...hashlineParseText(given));
  }
  return lines.join("\n");
}

await serve((raw, _, sample) => {
  const call = JSON.parse(sample.patch);
  const [file] = sample.before;
  const path = call.path ?? call.filePath ?? file?.path;
  const moved = call.move ?? call.rename;
  const edits = call.edits?.map(inEarlierFields);
  if (call.delete) return sample.before.filter((one) => one.path !== path);
  const others = sample.before.filter((one) => one.path !== path);
  if (file?.path !== path) return [...others, { path, content: created(edits) }];
  const { bom, text } = stripBom(raw);
  const normal = normalizeToLF(text);
  const content = edited(normal, edits);
  if (content === normal && !moved) throw new Refusal("identical", "No changes made");
  return [...others, { path: moved ?? path, content: bom + restoreLineEndings(content, detectLineEnding(text)) }];
});
