// How does each strategy do? A row each.

const BEST_FIRST = HEAD.best_first.map((at) => HEAD.strategies[at]);

/** The table of strategies; which family it shows and how it is sorted stands in the address. */
class StrategyTable {
  constructor() {
    this.parameters = {};
    this.table = sortable(strategyColumns(), BEST_FIRST, { label: "Strategies", className: "sticky fewer", sorted: (sort, order) => this.chosen({ sort, order }) });
    this.more = h("button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: () => this.more.setAttribute("aria-pressed", String(!this.table.element.classList.toggle("fewer"))) } }, "more columns");
    this.buttons = new Map(["", ...FAMILIES].map((name) => [name, h("button", { type: "button", class: "chip", on: { click: () => this.chosen({ family: name }) } }, name || "all")]));
    this.show({});
  }

  section() {
    return section("strategies", "Strategies",
      h("div", { class: "chips", role: "group", "aria-label": "Family" }, FAMILIES.length > 1 ? [...this.buttons.values()] : null, this.table.element.querySelector(".more") ? this.more : null),
      scrolling("Strategies", this.table.element),
      h("p", { class: "note" }, "Strategies that ran on the same samples are together, the best first: a wrong edit counts as five missed ones. Under each rate is its 95 % interval, clustered by repository; – is not measured. A number leads to its samples."));
  }

  chosen(parameters) {
    this.show({ ...this.parameters, ...parameters });
    history.replaceState(null, "", address("strategies", this.parameters));
  }

  /** Show what the parameters of an address ask for; a family or a column that is not there asks for nothing. */
  show(parameters) {
    this.parameters = parameters;
    const chosen = this.buttons.has(parameters.family) ? parameters.family : "";
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", String(name === chosen));
    this.table.show(BEST_FIRST.filter((one) => !chosen || family(one.name) === chosen), parameters.sort, parameters.order);
  }
}

function strategyColumns() {
  const shown = HEAD.measurements.filter((one) => HEAD.strategies.some((strategy) => (one.where_any ? strategy[one.name] : strategy[one.name] !== null)));
  const columns = shown.map((one) => [one.unit, COLUMN_OF[one.unit](one)]);
  const of = (...units) => columns.filter(([unit]) => units.includes(unit)).map(([, column]) => column);
  return [
    { name: "strategy", head: "strategy", key: (one) => one.name, cell: (one) => h("th", { scope: "row" }, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape(one.name, 6, 6, 3.6)), " ", breakable(one.name)) },
    ...of("share", "count"),
    ...(HEAD.strategies.some((one) => one.n_promised !== null) ? [promiseColumn()] : []),
    ...of("nanoseconds"),
  ];
}

/** A measurement's unit -> its column; see reports/measurements. */
const COLUMN_OF = { share: rateColumn, count: countColumn, nanoseconds: latencyColumn };

function rateColumn({ name, heading, meaning, better }) {
  const most = Math.max(...HEAD.strategies.map((one) => one[name]?.[0] ?? 0), 1e-9);
  const tint = { more: "good", less: "bad" }[better] ?? "";
  return {
    name, head: heading, title: meaning, numeric: true, key: (one) => one[name]?.[0] ?? null,
    cell: (one) => h("td", { class: `n rate ${tint}`, title: rateTitle(heading, one[name]), vars: { "--share": `${(100 * (one[name]?.[0] ?? 0)) / (better === "less" ? most : 1)}%` } },
      one[name] ? percent(one[name][0]) : ABSENT, one[name] ? h("small", {}, intervalText(one[name])) : null),
  };
}

function countColumn({ name, heading, meaning, counts, more }) {
  const leads = Object.keys(counts).length;
  return {
    name, more, head: heading, title: meaning, numeric: true, key: (one) => one[name],
    cell: (one) => (one[name] === null ? h("td", { class: "n zero" }, ABSENT) : leads ? numberCell(one[name], { strategy: one.name, ...counts }) : h("td", { class: "n" }, count(one[name]))),
  };
}

function latencyColumn({ name, heading, meaning }) {
  return { head: heading, title: meaning, numeric: true, key: (one) => one[name], cell: (one) => h("td", { class: "n" }, duration(one[name])) };
}

function numberCell(n, filter) {
  return h("td", { class: n ? "n" : "n zero" }, n ? filterLink(filter, count(n)) : "0");
}

function promiseColumn() {
  return {
    name: "promises", more: true, head: "broken promises", title: "properties that all strategies of its family promise for all inputs, and those that it is known to break", numeric: true,
    key: (one) => (one.promises_broken ? Object.keys(one.promises_broken).length : null),
    cell: (one) => {
      if (!one.promises_broken) return h("td", { class: "n zero" }, ABSENT);
      const names = Object.keys(one.promises_broken);
      return h("td", { class: names.length ? "n promises" : "n zero" }, names.length ? h("a", { href: "#properties", title: names.join(", ") }, `${names.length} of ${one.n_promised}`) : `0 of ${one.n_promised}`,
        names.length ? h("small", {}, names.slice(0, 2).join(", "), names.length > 2 ? ` +${names.length - 2}` : "") : null);
    },
  };
}

const STRATEGY_TABLE = new StrategyTable();
