// pi's edit tool, without its reading and writing of the file.

import { Refusal, load, serve } from "./protocol.mjs";

const { applyEditsToNormalizedContent, applyReplacementsToOriginal, normalizeToLF } = await load(
  "@earendil-works/pi-coding-agent/dist/core/tools/edit-diff.js",
);

function reason(message) {
  if (message.includes("occurrences") || message.includes("overlap")) return "ambiguous";
  if (message.includes("must not be empty")) return "empty";
  return message.startsWith("No changes") ? "identical" : "no_match";
}

await serve((raw, edits) => {
  const bom = raw.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = raw.slice(bom.length);
  const pairs = edits.map((edit) => ({ oldText: edit.old_string, newText: edit.new_string }));
  const plain = normalizeToLF(text);
  let edited;
  try {
    edited = applyEditsToNormalizedContent(plain, pairs, "file");
  } catch (error) {
    throw new Refusal(reason(error.message), error.message);
  }
  return bom + (text === plain ? edited.newContent : applyReplacementsToOriginal(text, edited.replacements));
});
