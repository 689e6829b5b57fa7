// The patcher of oh-my-pi's hashline package, on files in memory; it has seen the texts that the model has.
// Without the host's parser of blocks, hunks `N*` are refused.

import { Refusal, load, serve } from "./protocol.mjs";

const { InMemoryFilesystem, InMemorySnapshotStore, MismatchError, Patch, Patcher, normalizeToLF, stripBom } =
  await load("@oh-my-pi/hashline/src/index.ts");

function reason(error) {
  const { message } = error;
  if (error instanceof MismatchError || /hash #|not from this session/.test(message)) return "stale_read";
  if (/not found|does not exist|no such file/i.test(message)) return "not_found";
  return /no changes/i.test(message) ? "identical" : "malformed";
}

await serve(async (_, __, sample) => {
  const fs = new InMemoryFilesystem(sample.before.map(({ path, content }) => [path, content]));
  const snapshots = new InMemorySnapshotStore();
  for (const { path, content } of sample.seen ?? sample.before) {
    snapshots.record(path, normalizeToLF(stripBom(content).text));
  }
  try {
    const { sections } = await new Patcher({ fs, snapshots }).apply(Patch.parse(sample.patch));
    if (sections.every((section) => section.op === "noop")) throw new Error("no changes");
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    throw new Refusal(reason(error), error.message);
  }
  return [...fs.entries()].map(([path, content]) => ({ path, content }));
});
