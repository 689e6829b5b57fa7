// What happened to one sample? The edit, its place, the right answer, and what each strategy did.

class SampleView {
  constructor(list) {
    this.list = list;
    this.dialog = h("dialog", { id: "sample", "aria-labelledby": "sample-title", on: { close: () => this.left(), keydown: (event) => this.key(event) } });
    this.id = null;
  }

  async open(id, parameters) {
    this.parameters = parameters;
    const row = await SOURCE.find(id);
    if (!row) {
      this.show(id, h("p", {}, "There is no such sample in this page."));
      return;
    }
    const texts = await SOURCE.texts(row);
    this.show(id, sampleFacts(row, texts), ...sampleParts(row, texts, parameters));
  }

  show(id, ...children) {
    this.id = id;
    const move = (text, step, label) => h("button", { type: "button", class: "chip", "aria-label": label, on: { click: () => this.move(step) } }, text);
    fill(this.dialog, h("header", {}, h("h2", { id: "sample-title" }, plain(id), " ", h("a", { class: "anchor", href: sampleAddress(id) , "aria-label": "Link to this sample" }, "#")),
      h("div", { class: "chips" }, copyButton(id, "id"), move("← k", -1, "previous sample"), move("j →", 1, "next sample"),
        h("button", { type: "button", class: "chip", on: { click: () => this.dialog.close() } }, "close"))),
    h("div", { class: "body", tabindex: -1, autofocus: true }, children));
    if (!this.dialog.open) this.dialog.showModal();
    const body = this.dialog.querySelector(".body");
    body.focus();
    body.scrollTop = 0;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === "j") this.move(1);
    if (event.key === "k") this.move(-1);
  }

  async move(step) {
    const row = await this.list.neighbour(this.id, step);
    if (row) history.replaceState(null, "", sampleAddress(row.id, this.parameters));
    if (row) await this.open(row.id, this.parameters);
  }

  left() {
    // The row that had the focus may have been drawn again meanwhile.
    if (!document.activeElement || document.activeElement === document.body || this.list.viewport.contains(document.activeElement)) this.list.goTo(this.list.positions.get(this.id) ?? -1);
    this.id = null;
    if (readAddress().sample !== null) {
      const kept = Object.keys(this.parameters ?? {}).length ? addressKeepingEmpty("samples", this.parameters) : "#samples";
      history.replaceState(null, "", kept);
    }
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }
}

function sampleFacts(row, texts) {
  const facts = FACETS.map(([name, words]) => [name.replace("_", " "), words[row.facets[name]]]).filter(([, value]) => value);
  if (texts.recorded) facts.push(["the agent's own tool", texts.recorded]);
  if (texts.encoding) facts.push(["encoding", texts.encoding === "unknown" ? "UTF-8 with bytes that are no text" : texts.encoding]);
  if (texts.path) facts.push(["file", `${texts.path}:${texts.line}`]);
  return h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, plain(value)))));
}

function sampleParts(row, texts, parameters) {
  drawIn(texts.encoding, texts.path ?? "", facetWord(row, "language"));
  const part = (title, ...children) => h("section", {}, h("h3", {}, title), children);
  const results = resultParts(row, texts, part);
  // What a reader has filtered by is what they came for.
  const chosen = parameters.strategy === undefined ? -1 : STRATEGIES.indexOf(parameters.strategy);
  const [first, others] = [results.filter((one) => one.by.includes(chosen)), results.filter((one) => !one.by.includes(chosen))];
  return [
    ...reviewParts(row.id, part),
    verdictPart(row, texts, chosen),
    ...first.map((one) => one.shown),
    part("The edit as written", texts.edit === undefined ? h("p", {}, "The run does not have it: an earlier version wrote it.") : editView(texts.edit, facetWord(row, "format"), texts.path)),
    ...seenParts(texts, part),
    ...others.map((one) => one.shown),
    texts.place ? part(`${plain(texts.path)} before the edit`, textView(texts.place, texts.line, texts.path), texts.omitted ? h("p", { class: "note" }, `${count(texts.omitted)} characters are not kept.`) : null) : null,
    part("Every strategy, and the candidates of each replacer", everyStrategy(row, texts)),
    part("Again", [`editgauge show ${quotedWord(HEAD.folder)} ${quotedWord(row.id)}`, runCommand(row, texts, parameters),
      `editgauge notes ${quotedWord(HEAD.folder)} ${quotedWord(row.id)} --reviewed -m ''`].map(commandView)),
  ];
}

/** What the strategy that a reader came from did, in a sentence, and why the right answer is known. */
function verdictPart(row, texts, chosen) {
  const why = LABEL_REASONS[facetWord(row, "label_source")];
  const kind = chosen < 0 ? null : HEAD.kinds[row.kinds[chosen]];
  const defect = facetWord(row, "defect"), known = HEAD.defects[defect];
  return h("div", { class: "verdict" },
    kind?.[0] ? h("p", { class: "lead" }, h("b", {}, plain(STRATEGIES[chosen])), ` ${verdictWords(kind)}`) : null,
    known ? h("p", {}, h("b", {}, defect), ` ${known[0]} `, h("code", {}, known[1])) : null,
    why ? h("p", { class: "note" }, `How the right answer is known: ${why}.`) : null);
}

/** A verdict as the end of a sentence whose subject is the strategy. */
function verdictWords([verdict, damage, severity, reason]) {
  if (verdict === "wrong_edit") return `${DAMAGE_WORDS[damage] ?? "wrote another text than the right answer"}${severity === "other_tree" ? "; the file parses and means something else" : severity === "broken" ? "; the file does not parse any more" : ""}.`;
  if (verdict === "missed") return `refused (${reason?.replaceAll("_", " ") ?? "no reason"}) although there is a right answer.`;
  if (verdict === "refused") return `refused (${reason?.replaceAll("_", " ") ?? "no reason"}), and refusing is right.`;
  return { correct: "wrote the right answer, byte for byte.", unlabelled: `${reason ? "refused" : "wrote a result"}; the right answer is not known.`, crashed: "crashed.", timed_out: "ran out of time.", unstable: "gave different answers to the same request.", unmeasured: "did not work the command out." }[verdict] ?? `${verdict}.`;
}

const DAMAGE_WORDS = {
  indentation: "wrote the right lines with other indentation than the right answer", whitespace: "wrote the right text with other whitespace",
  place: "wrote at another place than the right answer", extent: "replaced more or fewer lines than the right answer", text: "wrote another text at the right place",
  bytes: "changed bytes outside the lines of the right answer, by the encoding or the line endings", unasked: "made the edit, which should have been refused",
  no_op: "ended well and changed nothing", too_many: "changed more places than were meant", emptied: "left a file empty", garbled: "lost or gained quotation in its text",
  half_made: "made some of the right changes and not the others", wrong_folder: "wrote the file in another folder", dialect: "means another thing to another sed",
};

/** Label source -> how the label was determined; see corpora/README.md. */
const LABEL_REASONS = {
  constructed: "the edit was generated from this answer", tool_result: "the agent's own tool wrote it", git: "the agent's commit has it", exact: "the search text stands in the file exactly once, and the agent's tool made the edit",
  retry: "a later edit of the agent succeeded and makes the same change", retry_repaired: "a later edit succeeded that differs in whitespace or quotes", retry_corrected: "a later edit with the same new text succeeded",
  exact_ambiguous: "the text to replace stands in the file several times, and the edit does not say which one is meant", identical: "search text and new text are equal",
  noop: "the edit, made where it says, changes nothing", git_merge: "git merges the commit's change there without a conflict", lines_gone: "lines that the edit removes are nowhere in the file",
  already_applied: "the file has this change already", read: "a person has read the sample",
};

/** The right answer and what was answered instead, each with the numbers of the strategies that did so. @returns {{by: number[], shown: any}[]} */
function resultParts(row, texts, part) {
  const changes = (texts.changes ?? []).map((one) => ({ result: one[0], by: one[1], path: one[2], line: one[3], before: beforeOf(texts, one), after: one[5], omitted: one[6] }));
  const right = changes.filter((one) => one.result === 0);
  const turned = new Set((texts.turned ?? []).map(([at]) => at));
  const isOld = (number) => Number(!changes.some((one) => one.result === number && one.by.some((at) => turned.has(at))));
  const results = [...new Set(changes.map((one) => one.result))].filter(Boolean).sort((a, b) => isOld(a) - isOld(b));
  const label = HEAD.facets.label?.[row.facets.label];
  const told = (title, [message, by]) => ({ by, shown: part(title, h("p", { class: "message" }, plain(message)), outcomesOf(by, row, texts)) });
  return [
    { by: right[0]?.by ?? [], shown: part("The right answer", right.length ? [outcomesOf(right[0].by, row, texts), right.map(changeView)] : h("p", {}, rightWords(label, row))) },
    ...(texts.turned ?? []).map((one) => ({ by: [one[0]], shown: part(`Turned ${one[1]} under ${plain(STRATEGIES[one[0]])}`, baselineView(one)) })),
    ...results.map((number) => changes.filter((one) => one.result === number)).map((some) => ({ by: some[0].by, shown: resultPart(row, texts, some, right) })),
    ...(texts.wrong ?? []).map((one) => ({ by: one[0], shown: part("Wrong: diff from the right answer", outcomesOf(one[0], row, texts), where(one[1], one[2]), diffView(one[3], one[4], one[2], one[1])) })),
    ...(texts.messages ?? []).map((one) => told(`Refused by ${counted(one[1].length, "strategy").replace("strategys", "strategies")}`, one)),
    ...(texts.errors ?? []).map((one) => told("Crashed or unstable", one)),
  ];
}

/** What a reader said of the sample. */
function reviewParts(id, part) {
  const review = HEAD.reviews[id];
  if (!review) return [];
  const [isReviewed, note, written] = review;
  return [part(`${isReviewed ? "Reviewed" : "A note"}, ${written.slice(0, 10)}`, note ? h("p", {}, plain(note)) : null)];
}

function commandView(command) {
  return h("p", { class: "copied" }, h("code", { class: "command" }, command), copyButton(command, "command"));
}

/** The command that runs a sample again: under the strategy that was filtered by, else one that turned, else the first. */
function runCommand(row, texts, parameters) {
  const name = parameters.strategy ?? STRATEGIES[texts.turned?.[0][0] ?? row.kinds.findIndex(Boolean)] ?? "";
  return `editgauge run ${HEAD.corpora.map(([corpus]) => quotedWord(corpus)).join(" ")} -k ${quotedWord(wordsOfId(row.id))} -s ${quotedWord(HEAD.commands[name] ?? name)}`;
}

/** An id as -k takes it, whose expressions have words, parentheses and three words of their own. */
function wordsOfId(id) {
  return id.split(/[\s()]+/).filter((word) => word && !["and", "or", "not"].includes(word)).join(" and ");
}

function rightWords(label, row) {
  if (label === "refuse") return "Refusing is right: nothing may change.";
  if (label === "unlabelled") return "It is not known.";
  return label === "apply" && row.kinds.length ? "The run does not have it: an earlier version wrote it." : "It is not known.";
}

/** A word for a shell. */
function quotedWord(text) {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The text before of a change, which may be named by its number of lines in the place. */
function beforeOf(texts, change) {
  if (typeof change[4] === "string") return change[4];
  const first = change[3] - texts.line;
  return `${texts.place.split("\n").slice(first, first + change[4]).join("\n")}\n`;
}

function where(path, line) {
  return h("p", { class: "where" }, `${plain(path)}:${line}`);
}

function changeView(one) {
  return [where(one.path, one.line), diffView(one.before, one.after, one.line, one.path), one.omitted ? h("p", { class: "note" }, `${count(one.omitted)} characters are not kept.`) : null];
}

/** A result that is not the right answer: its diff from before, and from the right answer as a second view. */
function resultPart(row, texts, changes, right) {
  const by = changes[0].by;
  const kinds = [...new Set(by.map((at) => kindText(HEAD.kinds[row.kinds[at]])))];
  const views = { ...(right.length ? { "from the right answer": () => fromRight(changes, right) } : {}), "from before": () => changes.map(changeView) };
  return h("section", { class: "result" }, h("h3", {}, h("span", { class: `kind ${HEAD.kinds[row.kinds[by[0]]]?.[0] ?? ""}` }, kinds.join(", "))),
    outcomesOf(by, row, texts), switched("Diff", views));
}

/** The diff from the right answer to a result, file by file. */
function fromRight(changes, right) {
  const paths = [...new Set([...right, ...changes].map((one) => one.path))];
  return paths.map((path) => {
    const [wanted, given] = [right.find((one) => one.path === path), changes.find((one) => one.path === path)];
    if (!wanted) return changeView(given);
    if (!given) return [h("p", { class: "note" }, "Missing from the result:"), where(path, wanted.line), diffView(wanted.after, wanted.before, wanted.line, path)];
    const joined = overlaid(wanted, given);
    if (joined) return [where(path, joined.line), diffView(joined.right, joined.given, joined.line, path)];
    return [h("p", { class: "note" }, "What the right answer changes, undone:"), where(path, wanted.line), diffView(wanted.after, wanted.before, wanted.line, path),
      h("p", { class: "note" }, "What the result changes instead:"), where(path, given.line), diffView(given.before, given.after, given.line, path)];
  });
}

/** Both results over the lines that either excerpt has; null where lines between them are not known. */
function overlaid(wanted, given) {
  const size = (one) => linesOf(one.before).length;
  const [from, to] = [Math.min(wanted.line, given.line), Math.max(wanted.line + size(wanted), given.line + size(given))];
  if (Math.max(wanted.line, given.line) > Math.min(wanted.line + size(wanted), given.line + size(given))) return null;
  const known = new Map();
  for (const one of [wanted, given]) linesOf(one.before).forEach((line, at) => known.set(one.line + at, line));
  const text = (one, other) => {
    const lines = [];
    for (let line = from; line < one.line; line += 1) lines.push(known.get(line));
    lines.push(...linesOf(one.after));
    for (let line = one.line + size(one); line < to; line += 1) lines.push(known.get(line));
    const last = one.line + size(one) >= to ? one.after : other.before;
    return lines.join("\n") + (last.endsWith("\n") ? "\n" : "");
  };
  return { line: from, right: text(wanted, given), given: text(given, wanted) };
}

function baselineView([strategy, , text, excerpts]) {
  return [h("p", {}, "In the baseline: ", plain(text)), excerpts ? [where(excerpts[0], excerpts[1]), h("p", { class: "note" }, "Its diff from the right answer:"), diffView(excerpts[2], excerpts[3], excerpts[1], excerpts[0])] : null];
}

/** Strategies with what tells their outcomes apart. */
function outcomesOf(by, row, texts) {
  return h("ul", { class: "outcomes" }, by.map((at) => {
    const [, , , , replacer] = HEAD.kinds[row.kinds[at]];
    const lines = texts.lines?.[at];
    return h("li", {}, svg("svg", { width: 10, height: 10, "aria-hidden": "true" }, shape(STRATEGIES[at], 5, 5, 3.4)), " ", h("b", {}, plain(STRATEGIES[at])),
      h("span", {}, [replacer && !STRATEGIES[at].endsWith(`/${replacer}`) ? ` by ${replacer}` : "", lines ? ` at line${lines.includes(",") ? "s" : ""} ${lines}` : "", texts.latency?.[at] >= 0 ? `, ${duration(texts.latency[at])}` : ""].join("")));
  }));
}

function everyStrategy(row, texts) {
  const rows = STRATEGIES.map((name, at) => ({ name, at, kind: HEAD.kinds[row.kinds[at]] })).filter((one) => one.kind[0]);
  const text = (head, key) => ({ head, key, cell: (one) => h("td", {}, plain(key(one) ?? "")) });
  const table = sortable([
    { head: "strategy", key: (one) => one.name, cell: (one) => h("th", { scope: "row" }, breakable(one.name)) },
    { head: "outcome", key: (one) => one.kind[0], cell: (one) => h("td", {}, h("span", { class: `kind ${one.kind[0]}` }, kindText(one.kind))) },
    text("reason", (one) => one.kind[3]), text("decided by", (one) => one.kind[4]), text("at lines", (one) => texts.lines?.[one.at]),
    { head: "latency", numeric: true, key: (one) => (texts.latency?.[one.at] >= 0 ? texts.latency[one.at] : null), cell: (one) => h("td", { class: "n" }, duration(texts.latency?.[one.at])) },
  ], rows, { label: "Every strategy" });
  return scrolling("Every strategy", table.element);
}
