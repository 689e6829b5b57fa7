// Which strategies find the most, and which are wrong least often?

/** @param {any} answer see reports/page/answer.py */
function ratesChart(answer) {
  return responsive((width) => drawRates(answer, width));
}

function drawRates(answer, width) {
  const height = Math.min(330, Math.max(280, width * 0.6));
  const frame = { left: 44, right: width - 12, top: 14, bottom: height - 40 };
  const all = answer.strategies.map((at) => HEAD.strategies[at]).filter((one) => one.match_rate && one.wrong_rate);
  if (!all.length) return h("p", {}, "No labelled sample.");
  const far = Math.min(1, Math.max(...all.map((one) => one.wrong_rate[2])) * 1.03);
  const floor = Math.max(0, Math.min(...all.map((one) => one.match_rate[1])) - 0.02);
  // Square-root axes: what matters happens near no wrong edit and near every edit found.
  const x = (rate) => frame.left + Math.sqrt(rate / far) * (frame.right - frame.left);
  const y = (rate) => frame.top + Math.sqrt((1 - rate) / (1 - floor)) * (frame.bottom - frame.top);
  const points = all.map((one) => ({ one, x: x(one.wrong_rate[0]), y: y(one.match_rate[0]) }));
  const frontier = new Set(answer.frontier.map((at) => STRATEGIES[at]));
  const advised = new Set(answer.ranges.map((range) => STRATEGIES[range.strategy]));
  const rank = ({ one }) => (advised.has(one.name) ? 0 : frontier.has(one.name) ? 1 : one.name.startsWith("cascade/") ? 2 : 3);
  const wanted = [...points].sort((a, b) => rank(a) - rank(b) || a.x - b.x)
    .map((point) => ({ x: point.x, y: point.y, text: plain(point.one.name), strong: rank(point) < 2 }));
  const edge = points.filter(({ one }) => frontier.has(one.name)).sort((a, b) => a.x - b.x || b.y - a.y);
  return chart(width, height, "Match rate against wrong rate, one point for each strategy; the table below has the numbers.",
    rateAxes(frame, x, y, far, floor),
    edge.length > 1 ? svg("path", { d: `M${edge.map((one) => `${one.x} ${one.y}`).join("L")}`, class: "frontier" }) : null,
    points.map(({ one, x: left, y: top }) => svg("a", { href: address("samples", { strategy: one.name }), tabindex: -1, "aria-label": one.name, class: frontier.has(one.name) ? "point" : "point beaten" },
      svg("title", {}, `${plain(one.name)}\n${rateTitle("match rate", one.match_rate)}\n${rateTitle("wrong rate", one.wrong_rate)}`),
      svg("line", { x1: x(one.wrong_rate[1]), x2: x(one.wrong_rate[2]), y1: top, y2: top, class: `whisker ${familyClass(one.name)}` }),
      svg("line", { x1: left, x2: left, y1: y(one.match_rate[1]), y2: y(one.match_rate[2]), class: `whisker ${familyClass(one.name)}` }),
      shape(one.name, left, top))),
    svg("g", { class: "labels", "aria-hidden": "true" }, placedLabels(wanted, frame, points)));
}

function rateAxes(frame, x, y, far, floor) {
  const across = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1].filter((rate) => rate <= far);
  let last = -100;
  const shown = across.filter((rate) => {
    const fits = x(rate) - last > 38;
    if (fits) last = x(rate);
    return fits;
  });
  return [
    [1, 0.99, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0].filter((rate) => rate >= floor).map((rate) => [
      svg("line", { x1: frame.left, x2: frame.right, y1: y(rate), y2: y(rate), class: "grid" }),
      svg("text", { x: frame.left - 6, y: y(rate) + 4, class: "tick end" }, `${Number((100 * rate).toFixed(1))} %`),
    ]),
    shown.map((rate) => [
      svg("line", { x1: x(rate), x2: x(rate), y1: frame.bottom, y2: frame.bottom + 4, class: "axis" }),
      svg("text", { x: x(rate), y: frame.bottom + 17, class: "tick middle" }, `${Number((100 * rate).toFixed(1))} %`),
    ]),
    svg("line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, class: "axis" }),
    svg("text", { x: (frame.left + frame.right) / 2, y: frame.bottom + 34, class: "tick middle" }, "wrong rate: further left is safer; square-root axes"),
  ];
}
