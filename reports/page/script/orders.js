// In which order should replacers be tried? The front, the reference order, the reader's, what each one brings, clashes.

function ordersSection() {
  const found = HEAD.orders;
  if (!found) return null;
  return section("orders", "Orderings of the replacers",
    h("p", {}, `All ${count(found.n_orderings)} ordered choices of the nine, scored on ${counted(found.n, "labelled sample")} from the outcomes of each replacer by itself. `,
      found.rank === null ? null : `${count(found.rank - 1)} of them score better than the reference order where a wrong edit costs ${found.wrong_cost} correct ones. `,
      "No ordering has more correct edits than one of the front without more wrong ones. The command editgauge orderings RUN tells more."),
    ordersTable(found),
    OWN_ORDER.element,
    h("h3", {}, "What each replacer brings and harms at its place in the reference order"), worthTable(found),
    found.clashes.length ? [h("h3", {}, "Clashes: pairs that decide samples differently, so that their order matters"), found.clashes.map(clash)] : null);
}

function ordersTable(found) {
  const row = (label, one) => h("tr", {}, h("th", { scope: "row" }, label), [one.correct, one.wrong, one.missed].map((n) => h("td", { class: "n" }, count(n))),
    h("td", { class: "order" }, one.order.join(" → ") || "none", " ", h("a", { href: address("orders", { order: one.order.join(",") || "none" }) }, "change it")));
  const heads = ["", "correct", "wrong", "missed", "order"];
  return scrolling("Orderings", h("table", {}, h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at > 0 && at < 4 ? "n" : null }, head)))),
    h("tbody", {}, found.best.map((one) => row(`best at cost ${found.wrong_cost}`, one)), row("reference", found.reference), found.front.map((one, at) => row(`front ${at + 1}`, one)))));
}

function worthTable(found) {
  const heads = ["replacer", "decides correctly", "decides wrongly", "correct without it", "wrong without it"];
  const numberOf = (n, at) => h("td", { class: n ? "n" : "n zero" }, at > 1 && n > 0 ? `+${count(n)}` : count(n));
  return scrolling("Replacers", h("table", {}, h("thead", {}, h("tr", {}, heads.map((head, at) => h("th", { scope: "col", class: at ? "n" : null }, head)))),
    h("tbody", {}, found.replacers.map(([name, ...numbers]) => h("tr", {}, h("th", { scope: "row" }, name, found.dead.includes(name) ? h("small", {}, " changes nothing") : null), numbers.map(numberOf))))));
}

function clash([first, second, better, worse, ids]) {
  return h("details", {}, h("summary", {}, `${first} before ${second}: `, h("b", {}, count(better)), " would be better the other way round, ", h("b", {}, count(worse)), " worse"),
    h("ul", {}, ids.map((id) => h("li", {}, h("a", { href: sampleAddress(id) }, plain(id))))));
}
