// Continue's edit tool, as its command line has it: the search and the replacing, without the file around it.

import { Refusal, serve } from "./protocol.mjs";
import { loadSource } from "./source_map.mjs";

const map = "@continuedev/cli/dist/index.js.map";
const { executeFindAndReplace } = await loadSource(map, "core/edit/searchAndReplace/performReplace.ts");
const { validateSingleEdit } = await loadSource(map, "core/edit/searchAndReplace/findAndReplaceUtils.ts");

const reasons = {
  find_and_replace_identical_old_and_new_strings: "identical",
  find_and_replace_old_string_not_found: "no_match",
  find_and_replace_multiple_occurrences: "ambiguous",
};

await serve((text, edits) =>
  edits.reduce((edited, edit) => {
    try {
      const { oldString, newString } = validateSingleEdit(edit.old_string, edit.new_string, edit.replace_all);
      return executeFindAndReplace(edited, oldString, newString, edit.replace_all);
    } catch (error) {
      if (!(error.reason in reasons)) throw error;
      throw new Refusal(reasons[error.reason], error.message);
    }
  }, text),
);
