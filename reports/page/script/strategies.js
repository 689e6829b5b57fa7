// How does each strategy do? A row each.

function strategiesSection() {
  const families = [...FAMILIES];
  let chosen = "";
  const table = sortable(strategyColumns(), HEAD.strategies, { label: "Strategies", className: "sticky" });
  const buttons = ["", ...families].map((name) => h("button", {
    type: "button", class: "chip", "aria-pressed": String(name === ""),
    on: { click: (event) => {
      chosen = name;
      for (const one of event.target.parentElement.children) one.setAttribute("aria-pressed", String(one === event.target));
      table.show(HEAD.strategies.filter((one) => !chosen || family(one.name) === chosen));
    } },
  }, name || "all"));
  return section("strategies", "Strategies",
    families.length > 1 ? h("div", { class: "chips", role: "group", "aria-label": "Family" }, buttons) : null,
    scrolling("Strategies", table.element),
    h("p", { class: "note" }, "Under each rate is its 95 % Wilson interval; – is not measured. A number leads to its samples."));
}

function strategyColumns() {
  const recorded = HEAD.strategies.some((one) => one.severity);
  const promised = HEAD.strategies.some((one) => one.promised !== null);
  return [
    { head: "strategy", key: (one) => one.name, cell: (one) => h("th", { scope: "row" }, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape(one.name, 6, 6, 3.6)), " ", breakable(one.name)) },
    rateColumn("match rate", "correct / samples labelled apply", "match", "good"),
    rateColumn("wrong rate", "wrong / all labelled samples", "wrong_rate", "bad"),
    countColumn("correct", "correct"), countColumn("wrong", "wrong", "wrong_edit"),
    ...(recorded ? ["same_tree", "other_tree", "broken"].map(severityColumn) : []),
    countColumn("missed", "missed"), countColumn("refused", "refused"),
    ...["unlabelled", "crashed", "timed_out"].filter((key) => HEAD.strategies.some((one) => one[key])).map((key) => countColumn(VERDICT_WORDS[key], key)),
    ...(promised ? [promiseColumn()] : []),
    latencyColumn("p50", 0), latencyColumn("p99", 2),
  ];
}

function rateColumn(head, title, field, tint) {
  const most = Math.max(...HEAD.strategies.map((one) => one[field]?.[0] ?? 0), 1e-9);
  return {
    head, title, numeric: true, key: (one) => one[field]?.[0] ?? null,
    cell: (one) => h("td", { class: `n rate ${tint}`, title: rateTitle(head, one[field]), vars: { "--share": `${(100 * (one[field]?.[0] ?? 0)) / (tint === "bad" ? most : 1)}%` } },
      one[field] ? percent(one[field][0]) : ABSENT, one[field] ? h("small", {}, intervalText(one[field])) : null),
  };
}

function countColumn(head, field, verdict = field) {
  return { head, title: HEAD.terms.find(([word]) => word === verdict)?.[1], numeric: true, key: (one) => one[field], cell: (one) => numberCell(one[field], { strategy: one.name, verdict }) };
}

function numberCell(n, filter) {
  return h("td", { class: n ? "n" : "n zero" }, n ? filterLink(filter, count(n)) : "0");
}

function severityColumn(kind) {
  return {
    head: `wrong, ${kind.replace("_", " ")}`, title: `wrong: ${HEAD.terms.find(([word]) => word === kind)?.[1]}`, numeric: true,
    key: (one) => one.severity?.[kind] ?? null,
    cell: (one) => (one.severity ? numberCell(one.severity[kind], { strategy: one.name, severity: kind }) : h("td", { class: "n zero" }, ABSENT)),
  };
}

function promiseColumn() {
  return {
    head: "broken promises", title: "properties that all strategies of its family promise for all inputs, and those that it is known to break", numeric: true,
    key: (one) => (one.broken ? Object.keys(one.broken).length : null),
    cell: (one) => {
      if (!one.broken) return h("td", { class: "n zero" }, ABSENT);
      const names = Object.keys(one.broken);
      return h("td", { class: names.length ? "n promises" : "n zero" }, names.length ? h("a", { href: "#properties", title: names.join(", ") }, `${names.length} of ${one.promised}`) : `0 of ${one.promised}`,
        names.length ? h("small", {}, names.slice(0, 2).join(", "), names.length > 2 ? ` +${names.length - 2}` : "") : null);
    },
  };
}

function latencyColumn(head, at) {
  return { head, title: at ? "99th percentile of the latency of a call" : "median latency of a call", numeric: true, key: (one) => one.p[at], cell: (one) => h("td", { class: "n" }, duration(one.p[at])) };
}
