// The edit tool of oh-my-openagent, without its reading and writing of the file.
// The package exports no part of it, so its modules are cut out of the bundle, which names each of them in a comment.

import { readFile } from "node:fs/promises";

import { Refusal, serve } from "./protocol.mjs";

const MODULES = "\n// packages/hashline-core/src/";
const bundle = await readFile(
  `${process.env.EDITGAUGE_PEER}/node_modules/oh-my-openagent/dist/index.js`,
  "utf8",
);
const first = bundle.indexOf(`${MODULES}constants.ts`);
const last = bundle.indexOf("\n// ", bundle.indexOf(`${MODULES}normalize-edits.ts`) + 1);
const names =
  "applyHashlineEditsWithReport, normalizeHashlineEdits, canonicalizeFileText, restoreFileText, HashlineMismatchError";
const core = new Function(`${bundle.slice(first, last)}\nreturn { ${names} };`)();

function reason(error) {
  if (error instanceof core.HashlineMismatchError) return "stale_read";
  return /does not exist|out of bounds/.test(error.message) ? "not_found" : "malformed";
}

function edited(content, edits) {
  try {
    return core.applyHashlineEditsWithReport(content, core.normalizeHashlineEdits(edits)).content;
  } catch (error) {
    throw new Refusal(reason(error), error.message);
  }
}

await serve((raw, _, sample) => {
  const call = JSON.parse(sample.patch);
  const [file] = sample.before;
  const path = call.filePath ?? call.path ?? file?.path;
  if (call.delete) {
    if (!file || call.rename || call.edits?.length) throw new Refusal("malformed", "delete takes nothing else");
    return [];
  }
  if (!Array.isArray(call.edits) || !call.edits.length) throw new Refusal("malformed", "edits must not be empty");
  const creates = call.edits.every((edit) => edit.op !== "replace" && !edit.pos);
  if (file?.path !== path && !creates) throw new Refusal("not_found", `File not found: ${path}`);
  const envelope = core.canonicalizeFileText(file?.path === path ? raw : "");
  const content = edited(envelope.content, call.edits);
  if (content === envelope.content && !call.rename) throw new Refusal("identical", "No changes made");
  const others = sample.before.filter((one) => one.path !== path);
  return [...others, { path: call.rename ?? path, content: core.restoreFileText(content, envelope) }];
});
