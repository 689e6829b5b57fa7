// Cline's core package: the executor of its apply_patch tool, in a folder of its own. It accepts absolute paths, and
// leaves that check to its caller, so an envelope that names one is refused here.

import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { Refusal, load, serve } from "./protocol.mjs";

const { createApplyPatchExecutor } = await load("@cline/core/dist/index.js");
const execute = createApplyPatchExecutor();
const ABSOLUTE = /^\*\*\* (?:Add File|Delete File|Update File|Move to): \s*\//m;

function reason(message) {
  if (message.startsWith("File not found")) return "not_found";
  if (message.startsWith("Path must stay")) return "outside_workspace";
  if (message.includes("hunk") && message.includes("did not match")) return "no_match";
  return "malformed";
}

async function applied(folder, sample) {
  for (const file of sample.before) {
    const path = join(folder, file.path);
    if (relative(folder, path).startsWith("..")) throw new Refusal("outside_workspace", `${file.path} is outside`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.content);
  }
  try {
    await execute({ input: sample.patch }, folder, {});
  } catch (error) {
    if (error.name !== "DiffError" && !error.code) throw error;
    throw new Refusal(reason(error.message), error.message);
  }
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return Promise.all(
    paths.map(async (path) => ({ path: relative(folder, path), content: await readFile(path, "utf8") })),
  );
}

await serve(async (_content, _edits, sample) => {
  if (ABSOLUTE.test(sample.patch)) throw new Refusal("outside_workspace", "an absolute path");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "editgauge-")));
  try {
    return await applied(folder, sample);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
