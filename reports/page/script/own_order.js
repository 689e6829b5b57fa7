// How good is an order of replacers that the reader composes? Its outcome follows from those of each replacer by itself.

const NOTHING = 0;
const CORRECT = 1;
const WRONG = 2;
const FIRST_NODE = 4;

class OwnOrder {
  /** @param {any} found HEAD.orders */
  constructor(found) {
    this.found = found;
    this.names = found.reference.order;
    this.list = h("ol", { class: "own-order" });
    this.result = h("p", { class: "own-result", "aria-live": "polite" });
    this.element = h("div", { id: "own-order" }, h("h3", {}, "Your order"),
      h("p", {}, "Move a replacer up or down, or switch it off; the counts change at once. The address of the page keeps your order."),
      h("div", { class: "chips", role: "group", "aria-label": "Begin with" }, this.beginnings()), this.result, this.list);
    this.show({});
  }

  beginnings() {
    const some = [["the reference order", this.found.reference], ...this.found.best.map((one) => [`the best at cost ${this.found.wrong_cost}`, one])];
    return some.map(([name, one]) => h("button", { type: "button", class: "chip", on: { click: () => this.change(one.order) } }, `begin with ${name}`));
  }

  /** Show the order that an address asks for: `order` with the names of replacers, commas between them. */
  show(parameters) {
    const asked = (parameters.order ?? "").split(",").filter((name) => this.names.includes(name));
    this.draw(parameters.order === undefined ? this.found.reference.order : [...new Set(asked)]);
  }

  change(order) {
    history.replaceState(null, "", address("orders", { order: order.join(",") || "none" }));
    this.draw(order);
  }

  draw(order) {
    const { found } = this;
    const focused = document.activeElement?.id;
    const scored = scoredOrder(found.decided, order);
    const score = (one) => one.correct - found.wrong_cost * one.wrong;
    const more = score(scored) - score(found.reference);
    fill(this.result, h("b", {}, `${count(scored.correct)} correct, ${count(scored.wrong)} wrong, ${count(scored.missed)} missed`),
      `, ${count(scored.refused)} rightly refused. Correct − ${found.wrong_cost} × wrong is ${count(score(scored))}, `,
      more ? `${count(Math.abs(more))} ${more > 0 ? "more" : "less"} than that of the reference order.` : "as much as that of the reference order.");
    const off = this.names.filter((name) => !order.includes(name));
    fill(this.list, [...order, ...off].map((name, at) => this.row(name, at, order, scored)));
    if (focused) document.getElementById(focused)?.focus();
  }

  row(name, at, order, scored) {
    const isOn = at < order.length;
    const moved = (to) => {
      const others = order.filter((one) => one !== name);
      return [...others.slice(0, to), name, ...others.slice(to)];
    };
    const button = (sign, label, to) => h("button", {
      type: "button", id: `own-${label}-${name}`, class: "chip", "aria-label": `Move ${name} ${label}`, disabled: !isOn || to < 0 || to >= order.length, on: { click: () => this.change(moved(to)) },
    }, sign);
    const decides = scored.decides.get(name) ?? { correct: 0, wrong: 0 };
    return h("li", { class: isOn ? null : "off" }, button("↑", "up", at - 1), button("↓", "down", at + 1),
      h("label", {}, h("input", { type: "checkbox", id: `own-on-${name}`, checked: isOn, on: { change: () => this.change(isOn ? order.filter((one) => one !== name) : [...order, name]) } }), ` ${name}`),
      h("small", {}, isOn ? ` decides ${count(decides.correct)} correctly, ${count(decides.wrong)} wrongly` : " off"));
  }
}

/** The counts of an order, and what each of its replacers decides of samples with one edit. @param {any} decided @param {string[]} order */
function scoredOrder(decided, order) {
  const columns = order.map((name) => decided.replacers.indexOf(name));
  const found = { correct: 0, wrong: 0, missed: 0, refused: 0, decides: new Map(order.map((name) => [name, { correct: 0, wrong: 0 }])) };
  const add = (what, toApply, toRefuse) => {
    if (what === CORRECT) found.correct += toApply + toRefuse;
    if (what === WRONG) found.wrong += toApply + toRefuse;
    if (what === NOTHING) found.missed += toApply;
    if (what === NOTHING) found.refused += toRefuse;
  };
  for (const [digits, toApply, toRefuse] of decided.alike) {
    const by = columns.findIndex((column) => digits[column] !== "0");
    const what = by < 0 ? NOTHING : Number(digits[columns[by]]);
    add(what, toApply, toRefuse);
    if (what === CORRECT) found.decides.get(order[by]).correct += toApply + toRefuse;
    if (what === WRONG) found.decides.get(order[by]).wrong += toApply + toRefuse;
  }
  for (const [root, toApply, toRefuse] of decided.several) add(end(decided.nodes, root, columns), toApply, toRefuse);
  return found;
}

/** Of a sample with several edits: each is decided by the first replacer that finds its place in the text so far. */
function end(nodes, root, columns) {
  let node = root;
  while (node >= FIRST_NODE) {
    const column = columns.find((one) => nodes[node - FIRST_NODE][one] >= 0);
    if (column === undefined) return NOTHING;
    node = nodes[node - FIRST_NODE][column];
  }
  return node;
}

const OWN_ORDER = HEAD.orders ? new OwnOrder(HEAD.orders) : null;
