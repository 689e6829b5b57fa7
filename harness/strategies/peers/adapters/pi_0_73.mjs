// pi's edit tool, without its reading and writing of the file.

import { Refusal, load, serve } from "./protocol.mjs";

const { applyEditsToNormalizedContent, detectLineEnding, normalizeToLF, restoreLineEndings, stripBom } = await load(
  "@mariozechner/pi-coding-agent/dist/core/tools/edit-diff.js",
);

function reason(message) {
  if (message.includes("occurrences") || message.includes("overlap")) return "ambiguous";
  if (message.includes("must not be empty")) return "empty";
  return message.startsWith("No changes") ? "identical" : "no_match";
}

await serve((raw, edits) => {
  const { bom, text } = stripBom(raw);
  const pairs = edits.map((edit) => ({ oldText: edit.old_string, newText: edit.new_string }));
  let edited;
  try {
    edited = applyEditsToNormalizedContent(normalizeToLF(text), pairs, "file");
  } catch (error) {
    throw new Refusal(reason(error.message), error.message);
  }
  return bom + restoreLineEndings(edited.newContent, detectLineEnding(text));
});
