// The loop that all adapters in JavaScript share: a sample per line on stdin, its result per line on stdout.
// What a package prints is kept out of the answers.

import { createInterface } from "node:readline";

const LONGEST_MESSAGE = 1000;

/** The peer refuses the edit: one of editgauge's reasons, and the peer's message. */
export class Refusal extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** Answer until stdin ends; errors but Refusal end the process.
 *
 * `apply(content, edits, sample)` returns the only file's text afterwards, or all files as [{path, content}]. */
export async function serve(apply) {
  const answer = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const sample = JSON.parse(line);
    const [file] = sample.before.length ? sample.before : [{ path: "", content: "" }];
    let result;
    try {
      const content = await apply(file.content, sample.edits, sample);
      const after = Array.isArray(content) ? content : [{ path: file.path, content }];
      result = { id: sample.id, status: "applied", after };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const message = error.message.split(/\s+/).join(" ").trim().slice(0, LONGEST_MESSAGE) || error.reason;
      result = { id: sample.id, status: "rejected", reason: error.reason, message };
    }
    answer(`${JSON.stringify(result)}\n`);
  }
}

/** A module of the package in this peer's environment, by its path in it. */
export function load(path) {
  return import(`file://${process.env.EDITGAUGE_PEER}/node_modules/${path}`);
}
