#!/usr/bin/env node
/** The rule as a program: a request a line on stdin, an answer a line on stdout (docs/protocol.md of editgauge). */

import { applyBeginPatch } from "./patches/begin_patch.js";
import { applyUnifiedDiff } from "./patches/unified_diff.js";
import { TIERS, replace } from "./recommended.js";
import type { Files, FilesResult, Result } from "./types.js";

declare const process: {
  stdin: AsyncIterable<string> & { setEncoding(encoding: "utf8"): void };
  stdout: { write(text: string): void };
};

interface Request {
  readonly id: string;
  readonly format: string;
  readonly before: readonly { readonly path: string; readonly content: string }[];
  readonly edits?: readonly {
    readonly old_string: string;
    readonly new_string: string;
    readonly replace_all?: boolean;
    readonly occurrence?: number | null;
  }[];
  readonly patch?: string;
  readonly tiers?: readonly string[];
}

const PATCHES: Readonly<Record<string, (files: Files, patch: string) => FilesResult>> = {
  begin_patch: applyBeginPatch,
  unified_diff: applyUnifiedDiff,
};

function answer(request: Request): object {
  const { id, format, before, edits, patch, tiers } = request;
  const apply = PATCHES[format];
  if (apply !== undefined && patch !== undefined) {
    const result = apply(new Map(before.map(({ path, content }) => [path, content])), patch);
    if (result.status === "rejected") return { id, ...result };
    return { id, status: "applied", after: [...result.files].map(([path, content]) => ({ path, content })) };
  }
  const file = before[0];
  const wholeLines = format === "search_replace";
  if ((!wholeLines && format !== "str_replace") || file === undefined || edits === undefined || edits.length === 0) {
    return { id, status: "rejected", reason: "not_allowed", message: `only edits of search text and new text, and patches, are applied, not ${format}.` };
  }
  const order = tiers ?? Object.keys(TIERS);
  let content = file.content;
  let furthest = "";
  for (const one of edits) {
    const { occurrence } = one;
    const edit = { oldString: one.old_string, newString: one.new_string, replaceAll: one.replace_all === true };
    const options = { path: file.path, wholeLines, tiers: order };
    const result: Result = replace(content, occurrence == null ? edit : { ...edit, occurrence }, options);
    if (result.status === "rejected") return { id, ...result };
    content = result.content;
    if (furthest === "" || order.indexOf(result.tier) > order.indexOf(furthest)) furthest = result.tier;
  }
  return { id, status: "applied", after: [{ path: file.path, content }], replacer: furthest };
}

process.stdin.setEncoding("utf8");
let rest = "";
for await (const piece of process.stdin) {
  const lines = (rest + piece).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Request))}\n`);
}
