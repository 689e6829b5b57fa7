// Which samples are there? A list of all of them, of which only the visible rows exist, with a search and filters.

const ROW_HEIGHT = 46;
const TALLEST = 8_000_000;

class SampleList {
  constructor() {
    this.parameters = {};
    this.list = [];
    this.positions = new Map();
    this.stop = () => {};
    this.drawn = "";
    this.controls = new Map();
    this.current = -1;
    this.isFocusing = false;
    this.input = h("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", placeholder: "id, path, text of the edit or of a diff, \"in quotes\"", on: { input: () => this.typed(), keydown: (event) => this.leave(event) } });
    this.output = h("output", { id: "count", for: "search", "aria-live": "polite" });
    this.window = h("div", { class: "window" });
    this.spacer = h("div", { class: "spacer" }, this.window);
    this.viewport = h("div", { class: "rows", tabindex: 0, role: "region", "aria-label": "Samples", on: { scroll: () => this.draw(), keydown: (event) => this.walk(event) } }, this.spacer);
    this.none = h("p", { id: "none", hidden: true }, "No sample matches.");
    this.extra = h("p", { class: "extra", hidden: true });
    this.onlyTurned = HEAD.comparison && h("button", { type: "button", class: "chip", "aria-pressed": "false", on: { click: () => this.chosen("turn", "turn" in this.parameters ? undefined : TURNED) } }, "only what turned");
  }

  section() {
    const left = HEAD.n_samples - (HEAD.n_embedded ?? HEAD.n_samples);
    return section("samples", "Samples",
      left > 0 ? h("p", { class: "note" }, `This file has the ${count(HEAD.n_embedded)} samples that most strategies get wrong; ${count(left)} more are in the run: editgauge serve RUN.`) : null,
      h("div", { class: "search" }, h("label", { for: "search" }, "Search"), this.input, this.output,
        this.onlyTurned, h("button", { type: "button", class: "chip", on: { click: () => go(address("samples")) } }, "clear all")),
      // Unfolded, they fill a small screen.
      h("details", { class: "fold", open: !matchMedia("(max-width: 40rem)").matches }, h("summary", {}, "Filters"), h("div", { class: "filters" }, this.selects())),
      this.extra, this.key(), this.viewport, this.none);
  }

  /** What the strip of each row means. */
  key() {
    return h("p", { class: "note key" }, "Each row has a bar for each strategy, in the order of the table: ",
      ["correct", "wrong_edit", "missed", "refused", "unlabelled", "crashed", "unstable"].map((verdict, at) => [at ? ", " : "", h("span", { class: `cell ${verdict}`, "aria-hidden": "true" }), ` ${VERDICT_WORDS[verdict]}`]),
      ". Keys: / searches, ↓ and ↑ walk through the list, Enter opens a sample, j and k go to the next and the previous, Esc closes it.");
  }

  /** From the search to the first sample. */
  leave(event) {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    this.goTo(0);
  }

  /** The list is one stop of the Tab key, which could not reach rows that do not exist; other keys walk through it. */
  walk(event) {
    const page = Math.max(1, Math.floor(this.viewport.clientHeight / ROW_HEIGHT) - 1);
    const last = this.list.length - 1;
    const wanted = { ArrowDown: this.current + 1, ArrowUp: this.current - 1, PageDown: this.current + page, PageUp: this.current - page, Home: 0, End: last }[event.key];
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.goTo(Math.min(last, Math.max(0, wanted)));
  }

  /** Show and focus a row, by its place in the list. */
  goTo(at) {
    if (!(at >= 0 && at < this.list.length)) return;
    this.current = at;
    this.isFocusing = true;
    const { first, fitting, isScaled, scrollable } = this.seen();
    const whole = Math.floor(this.viewport.clientHeight / ROW_HEIGHT);
    if (isScaled) {
      if (at < first || at >= first + whole) this.viewport.scrollTop = (Math.max(0, at - (at < first ? 0 : whole - 1)) / Math.max(1, this.list.length - fitting)) * scrollable;
    } else {
      this.viewport.scrollTop = Math.min(at * ROW_HEIGHT, Math.max(this.viewport.scrollTop, (at + 1) * ROW_HEIGHT - this.viewport.clientHeight));
    }
    this.draw();
    this.focusCurrent();
  }

  focusCurrent() {
    const row = this.window.querySelector(`[data-at="${this.current}"]`);
    if (row) this.isFocusing = false;
    (row ?? this.viewport).focus({ preventScroll: true });
  }

  selects() {
    const values = (at) => [...new Set(HEAD.kinds.map((kind) => kind[at]).filter(Boolean))].sort();
    const all = [
      ["strategy", "strategy", STRATEGIES.map((name) => [name, name])],
      ["verdict", "verdict", values(0).map((one) => [one, VERDICT_WORDS[one] ?? one])],
      ["damage", "damage", values(1).map((one) => [one, one])],
      ["severity", "severity", values(2).map((one) => [one, one.replace("_", " ")])],
      ["reason", "reason", values(3).map((one) => [one, one])],
      ["replacer", "decided by", values(4).map((one) => [one, one])],
      ...(HEAD.comparison ? [["turn", "against the baseline", [[TURNED, "turned at all"], ["1", "turned worse"], ["2", "turned better"], ["3", "changed"]]]] : []),
      ...FACETS.map(([name, words]) => [name, name.replace("_", " "), words.map((one) => [one, one || "(none)"])]),
    ];
    return all.filter(([, , options]) => options.length > 1 || options[0]).map(([key, label, options]) => {
      const select = h("select", { id: `filter-${key}`, on: { change: () => this.chosen(key, select.selectedIndex ? options[select.selectedIndex - 1][0] : undefined) } },
        h("option", {}, "any"), options.map(([, text]) => h("option", {}, plain(text))));
      this.controls.set(key, { select, options });
      return h("label", {}, h("span", {}, label), select);
    });
  }

  typed() {
    this.parameters = { ...this.parameters, q: this.input.value };
    if (!this.input.value) delete this.parameters.q;
    history.replaceState(null, "", address("samples", this.parameters));
    this.search();
  }

  chosen(key, value) {
    const parameters = { ...this.parameters, [key]: value };
    if (value === undefined) delete parameters[key];
    const hash = Object.keys(parameters).length ? addressKeepingEmpty("samples", parameters) : "#samples";
    history.pushState(null, "", hash);
    this.show(parameters);
  }

  /** Show what the parameters of an address ask for. */
  show(parameters) {
    this.parameters = parameters;
    if (this.input.value !== (parameters.q ?? "")) this.input.value = parameters.q ?? "";
    for (const [key, { select, options }] of this.controls) {
      select.selectedIndex = key in parameters ? options.findIndex(([value]) => value === parameters[key]) + 1 : 0;
      select.classList.toggle("set", select.selectedIndex > 0);
    }
    const unknown = [...this.controls].filter(([key, { options }]) => key in parameters && !options.some(([value]) => value === parameters[key]));
    this.none.textContent = unknown.length ? `No sample matches: this page has no ${unknown.map(([key]) => `${key.replace("_", " ")} ${plain(parameters[key])}`).join(", ")}.` : "No sample matches.";
    this.onlyTurned?.setAttribute("aria-pressed", String("turn" in parameters));
    const than = parameters.than;
    this.extra.hidden = !than;
    fill(this.extra, than ? `${plain(parameters.strategy ?? "")} is right and ${plain(than)} is not` : "");
    this.search();
  }

  search() {
    this.stop();
    this.current = -1;
    this.isFocusing = false;
    this.filter = filterOf(this.parameters);
    this.stop = SOURCE.query(this.filter, (list, complete, share = 1) => {
      this.list = list;
      this.drawn = "";
      this.positions.clear();
      this.output.textContent = `${count(list.length)} of ${count(SOURCE.total)}${searched(complete, share)}`;
      this.none.hidden = list.length > 0 || !complete;
      this.spacer.style.height = `${Math.min(TALLEST, list.length * ROW_HEIGHT)}px`;
      this.viewport.hidden = list.length === 0;
      if (complete) this.viewport.style.setProperty("--rows", `${Math.min(TALLEST, list.length * ROW_HEIGHT) + 2}px`);
      this.draw();
    });
  }

  /** Which rows are in view? Of very many, the place of the scroll bar is a share of the list. */
  seen() {
    const { scrollTop, clientHeight } = this.viewport;
    const n = this.list.length;
    const fitting = Math.ceil(clientHeight / ROW_HEIGHT);
    const isScaled = n * ROW_HEIGHT > TALLEST;
    const scrollable = Math.max(1, TALLEST - clientHeight);
    const first = isScaled ? Math.round((scrollTop / scrollable) * Math.max(0, n - fitting)) : Math.floor(scrollTop / ROW_HEIGHT);
    return { scrollTop, n, fitting, isScaled, scrollable, first };
  }

  async draw() {
    const { scrollTop, n, fitting, isScaled, first } = this.seen();
    const [from, to] = [Math.max(0, first - (isScaled ? 0 : 4)), Math.min(n, first + fitting + 6)];
    const drawn = `${from}-${to}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const list = this.list;
    const rows = await SOURCE.rows(list, from, to);
    if (list !== this.list || drawn !== this.drawn) return;
    this.window.style.transform = `translateY(${isScaled ? scrollTop : from * ROW_HEIGHT}px)`;
    rows.forEach((row, at) => this.positions.set(row.id, from + at));
    const isFocused = this.isFocusing || this.window.contains(document.activeElement);
    fill(this.window, rows.map((row, at) => this.row(row, from + at)));
    if (isFocused) this.focusCurrent();
  }

  row(row, at) {
    const own = this.filter.strategy >= 0 ? HEAD.kinds[row.kinds[this.filter.strategy]] : null;
    const facts = ["format", "language", "agent", "mutator"].map((key) => facetWord(row, key)).filter(Boolean);
    return h("a", { class: "row", tabindex: -1, "data-at": at, href: sampleAddress(row.id, this.parameters), on: { focus: () => { this.current = at; } } },
      h("span", { class: "name" }, h("b", {}, plain(row.id)), row.turn ? h("span", { class: `turn turn-${row.turn}` }, ["", "worse", "better", "changed"][row.turn]) : null,
        own ? h("span", { class: `kind ${own[0]}` }, kindText(own)) : null,
        HEAD.reviews[row.id] ? h("span", { class: "kind" }, facetWord(row, "review")) : null),
      h("span", { class: "facts" }, plain(row.path), row.path && facts.length ? " · " : "", facts.map(plain).join(" · ")),
      strip(row.kinds));
  }

  /** The sample before or after the one with this id, if the list has it at hand. */
  async neighbour(id, step) {
    const at = this.positions.get(id) ?? (Array.isArray(this.list) ? this.list.indexOf(SOURCE.number.get(id)) : -1);
    const wanted = at + step;
    if (at < 0 || wanted < 0 || wanted >= this.list.length) return null;
    const [row] = await SOURCE.rows(this.list, wanted, wanted + 1);
    this.positions.set(row.id, wanted);
    return row;
  }
}

/** How far a search has come. */
function searched(complete, share) {
  const part = share < 1 ? `in ${Math.floor(100 * share)} % of the texts` : "";
  return complete ? part && `, ${part}` : ` so far${part && `, ${part}`} …`;
}

/** As `address`, but a value may be empty: the group of samples without the property. */
function addressKeepingEmpty(place, parameters) {
  return `#${place}?${new URLSearchParams(parameters)}`;
}

function facetWord(row, key) {
  return HEAD.facets[key]?.[row.facets[key]] ?? "";
}

/** @param {(string | null)[]} kind */
function kindText([verdict, damage, severity]) {
  return [VERDICT_WORDS[verdict] ?? verdict, damage, severity?.replace("_", " ")].filter(Boolean).join(" · ");
}

function strip(kinds) {
  return h("span", { class: "strip", "aria-hidden": "true" }, kinds.map((code, at) =>
    h("span", { class: code ? `cell ${HEAD.kinds[code][0]}` : "cell", title: code ? `${STRATEGIES[at]}: ${kindText(HEAD.kinds[code])}` : null })));
}
