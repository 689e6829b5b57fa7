// What does an edit as it was written mean? Old text against new, or the lines that a patch takes and puts; its own text behind a switch.

/** A row of a patch whose line in the file is not known. */
const NOWHERE = Number.NEGATIVE_INFINITY;
const PATCH_HEAD = /^(@@|\*\*\* |--- |\+\+\+ |diff |index |\[|PUT |CUT |REM$|MV )/;

/** @param {string} text as `SampleText.edit` @param {string} format of the sample @param {string} path of its file */
function editView(text, format, path) {
  const meant = meaningOf(text, format, path);
  return switched("Edit", { ...(meant ? { "as meant": () => meant } : {}), "as written": () => textView(text) }, copyButton(text, "edit"));
}

/** The drawn meaning; null where the text is not read as its format. */
function meaningOf(text, format, path) {
  if (format === "str_replace" || format === "search_replace") {
    const pairs = pairsIn(text);
    return pairs && pairs.map(({ old, put }) => diffView(old, put, NOWHERE, path));
  }
  return ["unified_diff", "begin_patch", "hashline_h4"].includes(format) ? h("pre", { class: "diff", tabindex: 0 }, patchRows(linesOf(text), path)) : null;
}

/** The pairs of search/replace blocks; null where a line is outside of them, or a block has several dividers. */
function pairsIn(text) {
  const pairs = [];
  let [place, old, put] = ["outside", [], []];
  for (const line of text.split("\n")) {
    if (place === "outside" && /^<{5,9} ?SEARCH/.test(line)) [place, old, put] = ["old", [], []];
    else if (place === "old" && /^={5,9}\s*$/.test(line)) place = "put";
    else if (place === "put" && /^>{5,9} ?REPLACE/.test(line)) {
      place = "outside";
      pairs.push({ old: old.join("\n"), put: put.join("\n") });
    } else if (place === "old") old.push(line);
    else if (place === "put" && !/^={5,9}\s*$/.test(line)) put.push(line);
    else if (place === "put" || line.trim()) return null;
  }
  return place === "outside" && pairs.length ? pairs : null;
}

function patchRows(lines, path) {
  const shown = [];
  let rows = [];
  const flush = () => {
    if (rows.length) shown.push(...diffRows(rows, 0, path));
    rows = [];
  };
  for (const line of lines) {
    const kind = { "+": "added", "-": "removed" }[line[0]];
    if (PATCH_HEAD.test(line)) {
      flush();
      shown.push(h("span", { class: "line patch-head" }, drawnLine(line)));
    } else rows.push({ kind: kind ?? "same", text: kind || line.startsWith(" ") ? line.slice(1) : line, old: NOWHERE, new: NOWHERE });
  }
  flush();
  return shown;
}

/** Several views of one thing, of which one is shown, and what else is to be had of it. @param {Record<string, () => any>} views */
function switched(label, views, also = null) {
  const body = h("div");
  const buttons = Object.entries(views).map(([name, view]) => h("button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: (event) => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one === event.currentTarget));
    fill(body, view());
  } } }, name));
  buttons[0].setAttribute("aria-pressed", "true");
  fill(body, Object.values(views)[0]());
  const choice = buttons.length > 1 ? buttons : null;
  return [choice || also ? h("div", { class: "chips", role: "group", "aria-label": label }, choice, also) : null, body];
}
