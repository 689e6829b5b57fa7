// How long does a call take?

function latencySection() {
  const timed = HEAD.strategies.filter((one) => one.p50_ns !== null);
  if (!timed.length) return null;
  return section("latency", "Latency",
    h("p", {}, "Median, 90th and 99th percentile and the longest call, on a logarithmic axis."),
    responsive((width) => drawLatencies(timed, width)), bySize(), slowest());
}

function drawLatencies(timed, width) {
  const narrow = width < 560;
  const row = narrow ? 34 : 22;
  const frame = { left: narrow ? 8 : 210, right: width - 14, top: 6, bottom: 6 + timed.length * row };
  const fastest = Math.log10(Math.max(1, Math.min(...timed.map((one) => one.p50_ns)))) - 0.1;
  const high = Math.log10(Math.max(...timed.map((one) => one.max_ns))) + 0.05;
  // Two powers of ten at least, without which an axis has no scale.
  const low = Math.min(fastest, Math.floor(high) - 1);
  const x = (ns) => frame.left + ((Math.log10(Math.max(1, ns)) - low) / (high - low)) * (frame.right - frame.left);
  const powers = [];
  for (let power = Math.ceil(low); power <= high; power += 1) powers.push(10 ** power);
  return chart(width, frame.bottom + 26, "Latency of a call by strategy; the table of strategies has p50 and p99.",
    powers.map((ns) => [svg("line", { x1: x(ns), x2: x(ns), y1: frame.top, y2: frame.bottom, class: "grid" }), svg("text", { x: x(ns), y: frame.bottom + 17, class: "tick middle" }, duration(ns).replace(".00", "").replace(".0", ""))]),
    timed.map((one, at) => {
      const middle = frame.top + at * row + (narrow ? row - 8 : row / 2);
      const { p50_ns: p50, p90_ns: p90, p99_ns: p99, max_ns: longest } = one;
      return svg("g", {}, svg("title", {}, `${one.name}: p50 ${duration(p50)}, p90 ${duration(p90)}, p99 ${duration(p99)}, longest ${duration(longest)}`),
        svg("text", narrow ? { x: frame.left, y: middle - 9, class: "row-name" } : { x: frame.left - 10, y: middle + 4, class: "row-name end" }, plain(one.name)),
        svg("line", { x1: x(p50), x2: x(longest), y1: middle, y2: middle, class: `whisker ${familyClass(one.name)}` }),
        svg("line", { x1: x(p50), x2: x(p99), y1: middle, y2: middle, class: `whisker thick ${familyClass(one.name)}` }),
        svg("path", { d: `M${x(p90)} ${middle - 5}V${middle + 5}M${x(p99)} ${middle - 5}V${middle + 5}`, class: `whisker ${familyClass(one.name)}` }),
        shape(one.name, x(p50), middle, 4));
    }));
}

function bySize() {
  const found = HEAD.sizes;
  if (!found) return null;
  const groups = found.from.map((from, at) => at).filter((at) => found.n[at]);
  const name = (at) => `${at + 1 < found.from.length ? `under ${count(found.from[at + 1])}` : `from ${count(found.from[at])}`}`;
  return h("details", {}, h("summary", {}, "Median by the size of the files before, in characters"),
    scrolling("Median latency by size", h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "strategy"), groups.map((at) => h("th", { scope: "col", class: "n" }, name(at), h("small", {}, counted(found.n[at], "sample")))))),
      h("tbody", {}, STRATEGIES.map((strategy, row) => h("tr", {}, h("th", { scope: "row" }, breakable(strategy)), groups.map((at) => h("td", { class: "n" }, duration(found.medians[row][at])))))))));
}

function slowest() {
  if (!HEAD.slowest.length) return null;
  return h("details", {}, h("summary", {}, HEAD.slowest.length > 1 ? `The ${HEAD.slowest.length} slowest calls` : "The slowest call"),
    h("ol", {}, HEAD.slowest.map(([strategy, id, ns]) => h("li", {}, `${duration(ns)} `, h("a", { href: sampleAddress(id) }, plain(id)), ` under ${plain(STRATEGIES[strategy])}`))));
}
