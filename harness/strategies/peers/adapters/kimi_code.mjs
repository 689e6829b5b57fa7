// Kimi Code's edit tool, without its reading and writing of the file: three modules of the program's bundle.

import { readFileSync } from "node:fs";

import { Refusal, serve } from "./protocol.mjs";

const bundle = readFileSync(`${process.env.EDITGAUGE_PEER}/node_modules/@moonshot-ai/kimi-code/dist/main.mjs`, "utf8");

function module(path) {
  const start = bundle.indexOf(`//#region ../../packages/agent-core-v2/src/${path}.ts`);
  return bundle.slice(start, bundle.indexOf("//#endregion", start));
}

const modules = ["_base/text/line-endings", "app/edit/editService", "app/edit/textModel"].map(module);
const tools = "init_textModel(); init_editService(); return { EditService, TextModel };";
const { EditService, TextModel } = new Function("__esmMin", [...modules, tools].join("\n"))((initialize) => initialize);

await serve((text, edits) =>
  edits.reduce((edited, edit) => {
    if (edit.old_string === "") throw new Refusal("empty", "old_string is empty");
    if (edit.old_string === edit.new_string) throw new Refusal("identical", "No changes to make");
    const result = new EditService().apply(new TextModel(edited), edit);
    if (!result.ok) throw new Refusal(result.error.includes("not unique") ? "ambiguous" : "no_match", result.error);
    return result.rawContent;
  }, text),
);
