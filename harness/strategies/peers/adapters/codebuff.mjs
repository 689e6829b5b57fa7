// Codebuff's str_replace, all edits of a sample in one call; Freebuff's is the same.

import { Refusal, serve } from "./protocol.mjs";
import { loadSource } from "./source_map.mjs";

const map = "@codebuff/sdk/dist/index.mjs.map";
const { processStrReplace } = await loadSource(map, "agent-runtime/src/process-str-replace.ts");

const logger = { debug() {}, info() {}, warn() {}, error() {} };

await serve(async (text, edits, { before: [{ path }] }) => {
  const replacements = edits.map((edit) => ({
    old: edit.old_string,
    new: edit.new_string,
    allowMultiple: edit.replace_all,
  }));
  const answer = await processStrReplace({ path, replacements, initialContentPromise: Promise.resolve(text), logger });
  if (!("error" in answer)) return answer.content;
  const reason = answer.error.includes("was not found") ? "no_match" : "ambiguous";
  throw new Refusal(answer.error.startsWith("The old string was empty") ? "empty" : reason, answer.error);
});
