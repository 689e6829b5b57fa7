// What else can be said about the run? The comparison by strategy, who decides, properties, fuzzing, terms, inputs.

function comparisonSection() {
  const found = HEAD.comparison;
  if (!found) return null;
  const columns = found.columns.map(([head, title, numeric], at) => ({
    head, title, numeric, key: (row) => (numeric ? row[at][1] : row[at][0]),
    cell: (row) => (at ? comparedCell(row[at], numeric) : h("th", { scope: "row" }, breakable(row[at][0]))),
  }));
  const worse = found.columns.findIndex(([head]) => head === "worse");
  const rows = worse < 0 ? found.rows : [...found.rows].sort((a, b) => b[worse][1] - a[worse][1]);
  return section("comparison", "Against the baseline, by strategy",
    h("p", {}, plain(found.sentence)),
    found.failures.length ? h("ul", { class: "failures" }, found.failures.map(failure)) : null,
    scrolling("Compared by strategy", sortable(columns, rows, { label: "Compared by strategy", className: "sticky compared" }).element),
    h("p", { class: "note" }, plain(found.legend)), found.notes.map((one) => h("p", { class: "note" }, plain(one))));
}

function comparedCell([text, number], numeric) {
  const turn = { worse: "turn turn-1", "newly wrong": "turn turn-1", better: "turn turn-2" }[text];
  const isLong = / -> | to /.test(text);
  const shown = /^\d+$/.test(text) ? count(number) : plain(text).replace(" -> ", " → ").replaceAll(" %", "\xa0%");
  return h("td", { class: numeric ? `n${number === 0 ? " zero" : ""}${isLong ? " long" : ""}` : null }, turn ? h("span", { class: turn }, shown) : shown);
}

function decidersSection() {
  if (!HEAD.deciders.length) return null;
  return section("deciders", "Who decides",
    h("p", {}, "Of strategies that try several rules: which one decided how many edits, and how many of them wrongly. A number leads to the samples."),
    h("div", { class: "columns" }, HEAD.deciders.map(decider)));
}

function decider(one) {
  const most = Math.max(...one.rows.map(([, correct, wrong, unlabelled]) => correct + wrong + unlabelled));
  return h("details", { open: HEAD.deciders.length <= 6 }, h("summary", {}, h("b", {}, plain(one.name))),
    h("table", {}, h("thead", {}, h("tr", {}, ["rule", "correct", "wrong", "unlabelled"].map((head, at) => h("th", { scope: "col", class: at ? "n" : null }, head)))),
      h("tbody", {}, one.rows.map(([replacer, correct, wrong, unlabelled]) => h("tr", {},
        h("th", { scope: "row" }, plain(replacer), h("span", { class: "share", vars: { "--correct-end": `${(100 * correct) / most}%`, "--wrong-end": `${(100 * (correct + wrong)) / most}%` } })),
        [["correct", correct], ["wrong_edit", wrong], ["unlabelled", unlabelled]].map(([verdict, n]) => numberCell(n, { strategy: one.name, replacer, verdict })))))));
}

function propertiesSection() {
  const promising = HEAD.strategies.filter((one) => one.n_promised);
  if (!promising.length) return null;
  const ways = (one, name) => one.promises_broken?.[name] ?? one.own_promises?.[name] ?? 0;
  const names = [...new Set(promising.flatMap((one) => [...Object.keys(one.promises_broken ?? {}), ...Object.keys(one.own_promises ?? {}).filter((name) => one.own_promises[name])]))].sort();
  const own = [...new Set(promising.flatMap((one) => Object.keys(one.own_promises ?? {})))].sort();
  return section("properties", "What holds on all inputs",
    h("p", {}, "Fuzzing checks each strategy for the properties that it promises for all inputs. These are known to be broken; the number is that of known ways: distinct rules or reasons that decided such an input."),
    names.length ? h("dl", { class: "properties" }, names.map((name) => h("div", {}, h("dt", {}, plain(name)), h("dd", {}, HEAD.properties[name] ? h("p", {}, plain(HEAD.properties[name])) : null,
      promising.filter((one) => ways(one, name)).map((one) => h("span", { class: "chip still" }, `${plain(one.name)} (${ways(one, name)})`)))))) : h("p", {}, "None."),
    h("p", { class: "note" }, `No known way to break any of theirs: ${promising.filter((one) => one.promises_broken && !Object.keys(one.promises_broken).length && !Object.values(one.own_promises ?? {}).some(Boolean)).map((one) => plain(one.name)).join(", ") || "none of the strategies"}.`),
    own.length ? h("details", {}, h("summary", {}, "Promised by some strategies of a family only, and not counted in the column"),
      h("dl", { class: "properties" }, own.map((name) => h("div", {}, h("dt", {}, plain(name)), h("dd", {}, HEAD.properties[name] ? h("p", {}, plain(HEAD.properties[name])) : null,
        promising.filter((one) => one.own_promises && name in one.own_promises).map((one) => h("span", { class: "chip still" }, plain(one.name), one.own_promises[name] ? ` (${one.own_promises[name]})` : ""))))))) : null);
}

function fuzzedSection() {
  const found = HEAD.fuzzed;
  if (!found) return null;
  return section("fuzzed", `Fuzzing, night ${found.night}`,
    h("p", {}, `${count(found.executions)} inputs over ${found.targets} targets: ${counted(found.new.length, "new finding")}.`),
    h("ul", {}, found.new.map(([name, property, path, detail, id]) => h("li", {}, h("b", {}, plain(name)), ` breaks ${plain(property)} (${plain(path)}): ${plain(detail)} `, HEAD.properties[property] ? h("small", {}, `${plain(HEAD.properties[property])} `) : null, h("small", {}, plain(id)))),
      found.failures.map(([name, why]) => h("li", {}, h("b", {}, plain(name)), ` could not be fuzzed: ${plain(why)}`))));
}

function termsSection() {
  return section("terms", "Terms", h("dl", { class: "terms" }, HEAD.terms.map(([word, meaning]) => h("div", {}, h("dt", {}, word.replace("_", " ")), h("dd", {}, meaning)))));
}

function aboutSection() {
  return section("about", "About this run", h("dl", { class: "terms" }, HEAD.facts.map(([word, value]) => h("div", {}, h("dt", {}, plain(word)), h("dd", {}, plain(value))))));
}
