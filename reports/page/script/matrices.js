// Where do strategies differ: by property of the samples, and against each other?

const FEW = 20;

function matricesSection() {
  const kinds = [
    ...HEAD.groups.map((one) => [`${one.key.replace("_", " ")} × strategy`, () => groupMatrix(one)]),
    ...(STRATEGIES.length > 1 ? [["strategy × strategy", discordanceMatrix]] : []),
  ];
  if (!kinds.length) return null;
  const place = h("div");
  const buttons = kinds.map(([name, draw]) => h("button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: (event) => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one === event.currentTarget));
    fill(place, draw());
  } } }, name));
  buttons[0].setAttribute("aria-pressed", "true");
  fill(place, kinds[0][1]());
  return section("matrices", "Matrices: where strategies differ", h("div", { class: "chips", role: "group", "aria-label": "Matrix" }, buttons), place);
}

function columnHeads(names) {
  return names.map((name) => h("th", { scope: "col", class: "up" }, h("span", {}, plain(name))));
}

/** @param {{key: string, groups: {group: string, n: number, cells: any[]}[]}} found */
function groupMatrix(found) {
  const there = STRATEGIES.map((_, at) => at).filter((at) => found.groups.some((one) => one.cells[at]));
  const rows = found.groups.map((one) => h("tr", {}, h("th", { scope: "row" }, one.group ? plain(one.group) : "(none)"), h("td", { class: "n" }, count(one.n)),
    there.map((at) => groupCell(one, at, found.key))));
  return [
    h("p", {}, "Match rate above wrong rate, in per cent, and the number of labelled samples. Cells of fewer than ", String(FEW), " samples are faded; a click lists the wrong edits, or all samples where there are none."),
    scrolling(`By ${found.key}`, h("table", { class: "matrix" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, found.key.replace("_", " ")), h("th", { scope: "col", class: "n" }, "samples"), columnHeads(there.map((at) => STRATEGIES[at])))), h("tbody", {}, rows))),
  ];
}

function groupCell(one, at, key) {
  const cell = one.cells[at];
  if (!cell) return h("td", { class: "empty" }, ABSENT);
  const [match, wrong] = cell;
  const n = wrong?.[3] ?? match?.[3] ?? 0;
  const filter = { strategy: STRATEGIES[at], [key]: one.group, ...(wrong?.[0] ? { verdict: "wrong_edit" } : {}) };
  const title = `${plain(STRATEGIES[at])}, ${key} ${one.group || "(none)"}\n${rateTitle("match rate", match)}\n${rateTitle("wrong rate", wrong)}`;
  const whole = (rate) => (!rate ? ABSENT : rate[0] > 0 && rate[0] < 0.0005 ? "<0.1" : (100 * rate[0]).toFixed(rate[0] > 0 && rate[0] < 0.01 ? 1 : 0));
  return h("td", { class: n < FEW ? "few" : null, vars: { "--match": (match?.[0] ?? 0).toFixed(2), "--wrong": (wrong?.[0] ?? 0).toFixed(2) } },
    h("a", { href: addressKeepingEmpty("samples", filter), title }, h("span", { class: "match" }, whole(match)), h("span", { class: wrong?.[0] ? "wrong" : "wrong zero" }, whole(wrong)), h("small", {}, count(n))));
}

function discordanceMatrix() {
  const found = HEAD.discordance;
  const most = Math.max(1, ...found.flat().map((cell) => cell?.[0] ?? 0));
  return [
    h("p", {}, "Samples on which the strategy of the row is right and that of the column is not; right is a correct edit or a rightful refusal. Bold: significantly more often than the other way round (McNemar's exact test, clustered by repository, Holm's correction). A click lists them."),
    scrolling("Strategy against strategy", h("table", { class: "matrix" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "right …"), columnHeads(STRATEGIES))),
      h("tbody", {}, found.map((cells, row) => h("tr", {}, h("th", { scope: "row" }, breakable(STRATEGIES[row])), cells.map((cell, column) => discordanceCell(cell, row, column, most))))))),
  ];
}

function discordanceCell(cell, row, column, most) {
  if (!cell) return h("td", { class: "empty" }, row === column ? "" : ABSENT);
  const [ours, theirs, n, p] = cell;
  const title = `Only ${plain(STRATEGIES[row])} is right: ${ours}; only ${plain(STRATEGIES[column])}: ${theirs}; of ${n}, ${p === null ? "of too few repositories to tell" : `p = ${p}`}`;
  const isBetter = ours > theirs && p !== null && p < 0.05;
  return h("td", { class: n < FEW ? "few" : null, vars: { "--match": "0", "--heat": (ours / most).toFixed(2) } },
    ours ? h("a", { href: address("samples", { strategy: STRATEGIES[row], than: STRATEGIES[column] }), title }, isBetter ? h("b", {}, count(ours)) : count(ours)) : h("span", { class: "zero", title }, "0"));
}
