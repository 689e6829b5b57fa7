// How are texts and their differences shown, with everything in them that cannot be seen?

const LONG_LINE = 400;
const AROUND = 80;
const CONTEXT = 3;
/** A byte that is no text, as texts have it: a lone surrogate as an escape. */
const BYTE = /\\udc([89a-f][0-9a-f])/y;

/** Whether such escapes are bytes in the texts of the sample that is shown; else they are what they say. */
let hasBytes = false;

/** Take in the sample whose texts are drawn from now on: the encoding, the path and the language of its file. */
function drawIn(encoding, path, language) {
  hasBytes = encoding === "unknown";
  colourFor(path, language);
}

/** A line as pieces: spaces at its ends, tabs and odd characters drawn; `from` to `to` in bold. */
function drawnLine(line, from = 0, to = 0, leading = false) {
  const notes = [];
  let start = 0;
  let end = line.length;
  if (line.length > LONG_LINE) {
    start = Math.max(0, from - AROUND);
    end = Math.min(line.length, start + LONG_LINE);
    notes.push(start ? note(`${count(start)} characters`) : null, end < line.length ? note(`${count(line.length - end)} characters`) : null);
  }
  const pieces = from < to
    ? [drawn(line, start, from, leading), h("b", {}, drawn(line, from, Math.min(to, end), true)), drawn(line, Math.min(to, end), end, false)]
    : [drawn(line, start, end, leading)];
  return [notes[0], ...pieces, notes[1]];
}

/** The pieces of a line between two places. */
function drawn(line, from, to, leading) {
  const text = line.slice(from, to);
  const pieces = [];
  let clear = 0;
  const flush = (until, next) => {
    if (clear < until) pieces.push(drawnText(line, from + clear, from + until));
    clear = next;
  };
  const first = leading ? text.search(/[^ ]/) : 0;
  const lead = first < 0 ? text.length : first;
  const last = text.length - (/ *$/.exec(text)?.[0].length ?? 0);
  let at = 0;
  let byteEnd = 0;
  for (const character of text) {
    const byte = at < byteEnd ? null : byteAt(text, at);
    if (byte) {
      flush(at, at + 6);
      pieces.push(h("i", { class: "odd byte", title: "a byte that is no text" }, `0x${byte.toUpperCase()}`));
      byteEnd = at + 6;
    }
    if (at < byteEnd) {
      at += character.length;
      continue;
    }
    const isSpace = character === " " && (at < lead || at >= last);
    if (isSpace || character === "\t" || ODD.test(character)) {
      flush(at, at + character.length);
      if (isSpace) pieces.push(h("i", { class: "space" }, " "));
      else if (character === "\t") pieces.push(h("i", { class: "tab" }, "\t"));
      else pieces.push(h("i", { class: "odd" }, mark(character)));
    }
    at += character.length;
  }
  flush(text.length, text.length);
  return pieces;
}

function byteAt(text, at) {
  if (!hasBytes || text[at] !== "\\") return null;
  BYTE.lastIndex = at;
  return BYTE.exec(text)?.[1] ?? null;
}

function note(text) {
  return h("span", { class: "note-inline" }, `… ${text} …`);
}

/** A text with numbered lines, in colours if it is that of a file. */
function textView(text, firstLine = 1, path = "") {
  const { lines, ending } = withoutReturns(text);
  const rows = lines.map((line, at) => ({ text: line, shown: h("span", { class: "line" }, number(firstLine + at), drawnLine(line, 0, 0, false)) }));
  colourLater(path, rows);
  return [ending, h("pre", { tabindex: 0 }, rows.map((row) => row.shown))];
}

function number(n) {
  return h("span", { class: "number", "aria-hidden": "true" }, n > 0 ? n : "");
}

/** Lines without the carriage returns that all of them have, and the mark that says so. */
function withoutReturns(text) {
  const lines = linesOf(text);
  const all = lines.some((line) => line.endsWith("\r")) && lines.every((line, at) => line.endsWith("\r") || (at === lines.length - 1 && !text.endsWith("\n")));
  return { lines: all ? lines.map((line) => line.replace(/\r$/, "")) : lines, ending: all ? endingMark("CRLF line endings") : null, all };
}

function endingMark(text) {
  return h("p", { class: "ending" }, h("i", { class: "odd" }, "CR LF"), " ", text);
}

/** What a change does to a text of a file, as numbered lines; line endings that change as a whole are one mark. */
function diffView(before, after, firstLine, path) {
  const [old, new_] = [withoutReturns(before), withoutReturns(after)];
  let marks = old.all && new_.all ? endingMark("CRLF line endings") : null;
  let [left, right] = [old.lines, new_.lines];
  const [had, has] = [before, after].map((text) => returns(linesOf(text)));
  if ((had !== has || old.all !== new_.all) && left.length && right.length && !(old.all && new_.all)) {
    const bare = [before, after].map((text) => linesOf(text).map((line) => line.replace(/\r$/, "")));
    const isWhole = (old.all && !has) || (new_.all && !had);
    if (isWhole) marks = endingMark(has ? "line endings change from LF to CRLF" : "line endings change from CRLF to LF");
    else if (old.all || new_.all || Math.abs(had - has) > 2 || bare[0].join("\n") === bare[1].join("\n")) marks = endingMark(`carriage returns at the ends of ${had} of ${bare[0].length} lines before, of ${has} of ${bare[1].length} after${whereEndingsDiffer(before, after, firstLine)}`);
    if (marks) [left, right] = bare;
  }
  const rows = lineDiff(left, right);
  const shown = diffRows(rows, firstLine, path);
  const final = before.endsWith("\n") !== after.endsWith("\n") && before && after && right.length
    ? h("p", { class: "ending" }, after.endsWith("\n") ? "a final line feed is added" : "the final line feed is removed") : null;
  return [marks, final, h("pre", { class: "diff", tabindex: 0 }, shown), alikeNote(rows)];
}

/** The names of characters that look like others, if only the removed or only the added lines have them. */
function alikeNote(rows) {
  const [gone, come] = ["removed", "added"].map((kind) => rows.filter((row) => row.kind === kind).map((row) => row.text).join("\n"));
  const named = Object.keys(ALIKE).filter((one) => gone.includes(one) !== come.includes(one))
    .map((one) => `${mark(one)} ${ALIKE[one]} is ${gone.includes(one) ? "removed" : "added"}`);
  return named.length ? h("p", { class: "ending" }, named.join("; ")) : null;
}

/** The lines whose endings differ, where nothing else does: a diff without carriage returns marks none of them. */
function whereEndingsDiffer(before, after, firstLine) {
  const [old, new_] = [linesOf(before), linesOf(after)];
  const bare = (lines) => lines.map((line) => line.replace(/\r$/, "")).join("\n");
  if (bare(old) !== bare(new_)) return "";
  const differing = old.map((_, at) => at).filter((at) => old[at] !== new_[at]).map((at) => firstLine + at);
  return `; they differ in line${differing.length > 1 ? "s" : ""} ${differing.slice(0, 8).join(", ")}${differing.length > 8 ? ", ..." : ""}`;
}

function returns(lines) {
  return lines.filter((line) => line.endsWith("\r")).length;
}

/** The lines that are shown of a difference. Each is coloured as its own side has it; a line of both, as the old one has it. */
function diffRows(rows, firstLine, path) {
  const shown = [];
  const drawnOf = new Map();
  const show = (row, element) => {
    shown.push(element);
    drawnOf.set(row, element);
  };
  const near = nearChanges(rows);
  let at = 0;
  while (at < rows.length) {
    const next = near.indexOf(true, at);
    const n = (next < 0 ? rows.length : next) - at;
    if (n > 1) {
      shown.push(h("span", { class: "line" }, number(0), "  ", note(counted(n, "unchanged line"))));
      at += n;
      continue;
    }
    if (rows[at].kind === "same") {
      show(rows[at], h("span", { class: "line" }, number(firstLine + rows[at].old), "  ", drawnLine(rows[at].text)));
      at += 1;
      continue;
    }
    const removed = [];
    const added = [];
    for (; at < rows.length && rows[at].kind !== "same"; at += 1) (rows[at].kind === "removed" ? removed : added).push(rows[at]);
    const paired = removed.length === added.length;
    removed.forEach((row, nth) => show(row, changed("del", "- ", row.text, paired ? added[nth].text : null, firstLine + row.old)));
    added.forEach((row, nth) => show(row, changed("ins", "+ ", row.text, paired ? removed[nth].text : null, 0)));
  }
  const side = (other, own) => rows.filter((row) => row.kind !== other).map((row) => ({ text: row.text, shown: own.includes(row.kind) ? drawnOf.get(row) : undefined }));
  colourLater(path, side("added", ["same", "removed"]));
  if (rows.some((row) => row.kind === "added")) colourLater(path, side("removed", ["added"]));
  return shown;
}

/** Whether each row is shown: those that change, and some lines around them; all where none changes. */
function nearChanges(rows) {
  const near = rows.map(() => false);
  rows.forEach((row, at) => row.kind !== "same" && near.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1));
  return near.includes(true) ? near : near.fill(true);
}

function changed(tag, sign, text, other, line) {
  const [from, to] = other === null ? [0, 0] : differingPart(text, other);
  return h(tag, { class: "line" }, number(line), sign, drawnLine(text, from, to, true));
}
