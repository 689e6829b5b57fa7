#!/usr/bin/env node
/** The rule as a program: a request a line on stdin, an answer a line on stdout (docs/protocol.md of editgauge). */

import { applyBeginPatch } from "./patches/begin_patch.js";
import { applyUnifiedDiff } from "./patches/unified_diff.js";
import type { Edit } from "./query.js";
import { applyEdits } from "./str_replace.js";
import type { Files, FilesResult } from "./types.js";

declare const process: {
  stdin: AsyncIterable<string> & { setEncoding(encoding: "utf8"): void };
  stdout: { write(text: string): void };
};

interface File {
  readonly path: string;
  readonly content: string;
}
interface Request {
  readonly id: string;
  readonly format: string;
  readonly before: readonly File[];
  readonly edits?: readonly {
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
    readonly occurrence?: number | null;
  }[];
  readonly patch?: string;
  readonly seen?: readonly File[] | null;
  readonly tiers?: readonly string[];
}

const PATCHES: Readonly<Record<string, (files: Files, patch: string, seen?: Files) => FilesResult>> = {
  begin_patch: applyBeginPatch,
  unified_diff: applyUnifiedDiff,
};
const textsOf = (files: readonly File[]): Files => new Map(files.map(({ path, content }) => [path, content]));

function answer(request: Request): object {
  const { id, format, before, edits, patch, seen, tiers } = request;
  const apply = PATCHES[format];
  if (apply !== undefined && patch !== undefined) {
    const result = apply(textsOf(before), patch, seen ? textsOf(seen) : undefined);
    if (result.status === "rejected") return { id, ...result };
    return { id, status: "applied", after: [...result.files].map(([path, content]) => ({ path, content })) };
  }
  const [file, wholeLines] = [before[0], format === "search_replace"];
  if ((!wholeLines && format !== "str_replace") || file === undefined || edits === undefined || edits.length === 0) {
    return { id, status: "rejected", reason: "not_allowed", message: `only edits of search text and new text, and patches, are applied, not ${format}.` };
  }
  const meant = edits.map(({ old_string: oldString, new_string: newString, replace_all, occurrence }): Edit => {
    const edit = { oldString, newString, replaceAll: replace_all === true };
    return occurrence == null ? edit : { ...edit, occurrence };
  });
  const was = seen?.find(({ path }) => path === file.path)?.content;
  const result = applyEdits(file.content, meant, {
    path: file.path, wholeLines, ...(tiers ? { tiers } : {}), ...(was === undefined ? {} : { seen: was }),
  });
  if (result.status === "rejected") return { id, ...result };
  return { id, status: "applied", after: [{ path: file.path, content: result.content }], replacer: result.tier };
}

process.stdin.setEncoding("utf8");
let rest = "";
for await (const piece of process.stdin) {
  const lines = (rest + piece).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Request))}\n`);
}
