// jsdiff (the npm package `diff`): parsePatch, then applyPatch on each file. It searches for the place of a hunk, and
// lets as many lines of it differ as the fuzz factor says.

import { Refusal, load, serve } from "./protocol.mjs";

const { applyPatch, parsePatch } = await load("diff/libesm/index.js");
const FUZZ_FACTOR = 2;
const NULL = "/dev/null";

function bare(name) {
  return name === undefined || name === NULL ? name : name.replace(/^[ab]\//, "");
}

function parsed(patch) {
  try {
    return parsePatch(patch);
  } catch (error) {
    throw new Refusal("malformed", error.message);
  }
}

await serve((_content, _edits, sample) => {
  const files = new Map(sample.before.map((file) => [file.path, file.content]));
  const sections = parsed(sample.patch).filter((section) => section.hunks.length);
  if (!sections.length) throw new Refusal("malformed", "no hunk was found");
  for (const section of sections) {
    const [old, target] = [bare(section.oldFileName), bare(section.newFileName)];
    const path = old === NULL || !files.has(old) ? target : old;
    if (path === undefined || (old !== NULL && !files.has(path))) throw new Refusal("not_found", `no file ${path}`);
    const text = applyPatch(files.get(path) ?? "", section, { fuzzFactor: FUZZ_FACTOR });
    if (text === false) throw new Refusal("no_match", `a hunk does not fit ${path}`);
    if (target === NULL) files.delete(path);
    else files.set(path, text);
  }
  return [...files].map(([path, content]) => ({ path, content }));
});
