// How are texts and their differences shown, with everything in them that cannot be seen?

const LONG_LINE = 400;
const AROUND = 80;
const CONTEXT = 3;
/** A byte that is no text, as texts have it: a lone surrogate as an escape. */
const BYTE = /\\udc([89a-f][0-9a-f])/y;

/** Whether such escapes are bytes in the texts of the sample that is shown; else they are what they say. */
let hasBytes = false;

/** Take in the encoding of the file whose texts are drawn from now on. */
function drawIn(encoding) {
  hasBytes = encoding === "unknown";
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
    ? [drawn(line.slice(start, from), leading), h("b", {}, drawn(line.slice(from, Math.min(to, end)), true)), drawn(line.slice(Math.min(to, end), end), false)]
    : [drawn(line.slice(start, end), leading)];
  return [notes[0], ...pieces, notes[1]];
}

function drawn(text, leading) {
  const pieces = [];
  let clear = "";
  const flush = () => {
    if (clear) pieces.push(clear);
    clear = "";
  };
  const first = leading ? text.search(/[^ ]/) : 0;
  const lead = first < 0 ? text.length : first;
  const last = text.length - (/ *$/.exec(text)?.[0].length ?? 0);
  let at = 0;
  let byteEnd = 0;
  for (const character of text) {
    const byte = at < byteEnd ? null : byteAt(text, at);
    if (byte) {
      flush();
      pieces.push(h("i", { class: "odd byte", title: "a byte that is no text" }, `0x${byte.toUpperCase()}`));
      byteEnd = at + 6;
    }
    if (at < byteEnd) {
      at += character.length;
      continue;
    }
    const isSpace = character === " " && (at < lead || at >= last);
    if (isSpace || character === "\t" || ODD.test(character)) {
      flush();
      if (isSpace) pieces.push(h("i", { class: "space" }, " "));
      else if (character === "\t") pieces.push(h("i", { class: "tab" }, "\t"));
      else pieces.push(h("i", { class: "odd" }, mark(character)));
    } else clear += character;
    at += character.length;
  }
  flush();
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

/** A text with numbered lines. */
function textView(text, firstLine = 1) {
  const { lines, ending } = withoutReturns(text);
  const rows = lines.map((line, at) => h("span", { class: "line" }, number(firstLine + at), drawnLine(line, 0, 0, false)));
  return [ending, h("pre", { tabindex: 0 }, rows)];
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

/** What a change does to a text, as numbered lines; line endings that change as a whole are one mark. */
function diffView(before, after, firstLine) {
  const [old, new_] = [withoutReturns(before), withoutReturns(after)];
  let marks = old.all && new_.all ? endingMark("CRLF line endings") : null;
  let [left, right] = [old.lines, new_.lines];
  const [had, has] = [before, after].map((text) => returns(linesOf(text)));
  if ((had !== has || old.all !== new_.all) && left.length && right.length && !(old.all && new_.all)) {
    const bare = [before, after].map((text) => linesOf(text).map((line) => line.replace(/\r$/, "")));
    const isWhole = (old.all && !has) || (new_.all && !had);
    if (isWhole) marks = endingMark(has ? "line endings change from LF to CRLF" : "line endings change from CRLF to LF");
    else if (old.all || new_.all || Math.abs(had - has) > 2 || bare[0].join("\n") === bare[1].join("\n")) marks = endingMark(`carriage returns at the ends of ${had} of ${bare[0].length} lines before, of ${has} of ${bare[1].length} after`);
    if (marks) [left, right] = bare;
  }
  const rows = lineDiff(left, right);
  const shown = diffRows(rows, firstLine);
  const final = before.endsWith("\n") !== after.endsWith("\n") && before && after && right.length
    ? h("p", { class: "ending" }, after.endsWith("\n") ? "a final line feed is added" : "the final line feed is removed") : null;
  return [marks, final, h("pre", { class: "diff", tabindex: 0 }, shown)];
}

function returns(lines) {
  return lines.filter((line) => line.endsWith("\r")).length;
}

function diffRows(rows, firstLine) {
  const shown = [];
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
      shown.push(h("span", { class: "line" }, number(firstLine + rows[at].old), "  ", drawnLine(rows[at].text)));
      at += 1;
      continue;
    }
    const removed = [];
    const added = [];
    for (; at < rows.length && rows[at].kind !== "same"; at += 1) (rows[at].kind === "removed" ? removed : added).push(rows[at]);
    const paired = removed.length === added.length;
    removed.forEach((row, nth) => shown.push(changed("del", "- ", row.text, paired ? added[nth].text : null, firstLine + row.old)));
    added.forEach((row, nth) => shown.push(changed("ins", "+ ", row.text, paired ? removed[nth].text : null, 0)));
  }
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
