// Gemini CLI's edit tool: its steps before it writes the file, without the model that repairs failed edits.

import { Refusal, load, serve } from "./protocol.mjs";

const dist = "@google/gemini-cli-core/dist/src";
const { calculateReplacement, getErrorReplaceResult } = await load(`${dist}/tools/edit.js`);
const { detectOmissionPlaceholders } = await load(`${dist}/tools/omissionPlaceholderDetector.js`);

// All that is asked of it is whether and where to report what happens: nowhere.
const config = new Proxy({}, { get: () => () => undefined });

async function edited(text, edit) {
  const params = {
    file_path: "file",
    old_string: edit.old_string,
    new_string: edit.new_string,
    allow_multiple: edit.replace_all,
  };
  const known = new Set(detectOmissionPlaceholders(params.old_string));
  if (detectOmissionPlaceholders(params.new_string).some((one) => !known.has(one))) {
    throw new Refusal("malformed", "new_string contains an omission placeholder");
  }
  if (params.old_string === "") throw new Refusal("empty", "the file exists already");
  const crlf = text.includes("\r\n");
  const currentContent = text.replace(/\r\n/g, "\n");
  const found = await calculateReplacement(config, { params, currentContent });
  const error = getErrorReplaceResult(params, found.occurrences, found.finalOldString, found.finalNewString);
  if (error) {
    const reasons = { edit_no_occurrence_found: "no_match", edit_expected_occurrence_mismatch: "ambiguous" };
    throw new Refusal(reasons[error.type] ?? "identical", error.raw);
  }
  return crlf ? found.newContent.replace(/\r?\n/g, "\r\n") : found.newContent;
}

await serve(async (text, edits) => {
  for (const edit of edits) text = await edited(text, edit);
  return text;
});
