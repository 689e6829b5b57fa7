// The exact, unique match as a strategy for editgauge: one JSON object a line each way (docs/protocol.md).
//
//   editgauge run house -s 'cmd:mine=node edit.ts'     Node 22.18 and newer, Deno and Bun run it as it is

import { createInterface } from "node:readline";

interface File {
  path: string;
  content: string;
}

interface Edit {
  old_string: string;
  new_string: string;
  replace_all: boolean;
}

interface Request {
  id: string;
  before: File[];
  edits: Edit[];
}

type Answer = { status: "applied"; after: File[] } | { status: "rejected"; reason: string; message?: string };

function answer({ before, edits }: Request): Answer {
  const { path } = before[0];
  let { content } = before[0];
  for (const { old_string, new_string, replace_all } of edits) {
    if (old_string === new_string) return { status: "rejected", reason: "identical" };
    if (old_string === "") return { status: "rejected", reason: "empty" };
    const at = content.indexOf(old_string);
    if (at < 0) return { status: "rejected", reason: "no_match" };
    if (replace_all) {
      content = content.split(old_string).join(new_string);
    } else if (content.indexOf(old_string, at + 1) >= 0) {
      return { status: "rejected", reason: "ambiguous" };
    } else {
      content = content.slice(0, at) + new_string + content.slice(at + old_string.length);
    }
  }
  return { status: "applied", after: [{ path, content }] };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request: Request = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id: request.id, ...answer(request) }) + "\n");
});
