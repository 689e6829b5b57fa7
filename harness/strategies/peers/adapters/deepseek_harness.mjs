// DeepSeek Harness' edit tool on files on disk: its check of the texts, and the file system of its host.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Refusal, load, serve } from "./protocol.mjs";

const { LocalFileSystem } = await load("@deepseek-ai/dsh-fs-local/lib/index.js");
const files = Object.create(LocalFileSystem.prototype);
files.withLock = (_, body) => body();
const reasons = { FS_EDIT_NOT_FOUND: "no_match", FS_AMBIGUOUS_EDIT: "ambiguous" };

await serve(async (text, edits) => {
  const folder = mkdtempSync(join(tmpdir(), "editgauge-"));
  const path = join(folder, "file");
  try {
    writeFileSync(path, text);
    for (const { old_string: oldString, new_string: newString, replace_all: replaceAll } of edits) {
      if (oldString === "") throw new Refusal("empty", "old_string must be a non-empty string");
      if (oldString === newString) throw new Refusal("identical", "old_string and new_string must differ");
      await files.editText({ targetKey: path, displayPath: "file" }, { oldString, newString, replaceAll });
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!error.code?.startsWith("FS_")) throw error;
    throw new Refusal(reasons[error.code] ?? "not_allowed", error.message);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
