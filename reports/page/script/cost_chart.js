// Which strategy scores best at which cost of a wrong edit?

const CHEAPEST = 0.1;
const DEAREST = 1000;

/** @param {any} answer see reports/page/answer.py */
function costChart(answer) {
  return responsive((width) => drawCosts(answer, width));
}

function drawCosts(answer, width) {
  const height = Math.min(330, Math.max(260, width * 0.55));
  const frame = { left: 44, right: width - 10, top: 34, bottom: height - 40 };
  const score = (at, cost) => 1 - (answer.missed[at] + cost * answer.wrong[at]) / answer.n;
  const advised = new Set(answer.ranges.map((one) => one.strategy));
  const x = (cost) => frame.left + (Math.log10(cost / CHEAPEST) / Math.log10(DEAREST / CHEAPEST)) * (frame.right - frame.left);
  const tops = answer.strategies.map((_, at) => score(at, CHEAPEST));
  const high = Math.min(1, Math.max(...tops) + 0.02);
  const low = Math.max(0, Math.min(high - 0.2, quantile(tops, 0.25) - 0.15));
  const y = (value) => frame.bottom - ((value - low) / (high - low)) * (frame.bottom - frame.top);
  const line = (at) => {
    const points = [];
    for (let step = 0; step <= 80; step += 1) {
      const cost = CHEAPEST * (DEAREST / CHEAPEST) ** (step / 80);
      points.push(`${x(cost).toFixed(1)} ${y(Math.max(score(at, cost), low - 5)).toFixed(1)}`);
    }
    return `M${points.join("L")}`;
  };
  const order = answer.strategies.map((_, at) => at).sort((a, b) => advised.has(answer.strategies[a]) - advised.has(answer.strategies[b]));
  return chart(width, height, `Score by the cost of a wrong edit. ${answer.sentence}`,
    svg("clipPath", { id: "costs-clip" }, svg("rect", { x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.bottom - frame.top })),
    answer.ranges.map((range, nth) => {
      const [from, to] = [x(range.above ?? CHEAPEST), x(range.upto ?? DEAREST)];
      return svg("rect", { x: from, y: frame.top, width: to - from, height: frame.bottom - frame.top, class: nth % 2 ? "band odd" : "band" });
    }),
    costAxes(frame, x, y, low, high),
    svg("g", { "clip-path": "url(#costs-clip)" }, order.map((at) => {
      const name = STRATEGIES[answer.strategies[at]];
      const kind = advised.has(answer.strategies[at]) ? `advised ${familyClass(name)}` : "faint";
      return svg("path", { d: line(at), class: `curve ${kind}` }, svg("title", {}, `${name}: ${answer.missed[at]} missed, ${answer.wrong[at]} wrong of ${answer.n}`));
    })),
    svg("g", { class: "names" }, rangeNames(answer.ranges, frame, x)),
    answer.ranges.map((range, nth) => rangeEnd(range, answer.ranges[nth + 1], answer, frame, x, y, score)));
}

function quantile(values, share) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(share * (ordered.length - 1))];
}

function costAxes(frame, x, y, low, high) {
  return [
    ticks(low, high, 4).map((value) => [
      svg("line", { x1: frame.left, x2: frame.right, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: frame.left - 6, y: y(value) + 4, class: "tick end" }, value.toFixed(2)),
    ]),
    [0.1, 1, 10, 100, 1000].map((cost) => [
      svg("line", { x1: x(cost), x2: x(cost), y1: frame.bottom, y2: frame.bottom + 4, class: "axis" }),
      svg("text", { x: x(cost), y: frame.bottom + 17, class: cost === DEAREST ? "tick end" : "tick middle" }, cost),
    ]),
    svg("line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, class: "axis" }),
    svg("text", { x: (frame.left + frame.right) / 2, y: frame.bottom + 34, class: "tick middle" }, "cost of a wrong edit, in missed edits"),
  ];
}

/** The names of the strategies advised, over their ranges in two rows, the widest first; one without a place is in the sentence alone. */
function rangeNames(ranges, frame, x) {
  const ends = (range) => [x(range.above ?? CHEAPEST), x(range.upto ?? DEAREST)];
  const wide = (range) => ends(range)[1] - ends(range)[0];
  const taken = [];
  return [...ranges].sort((a, b) => wide(b) - wide(a)).map((range) => {
    const name = STRATEGIES[range.strategy];
    const width = textWidth(name, true);
    const start = Math.max(0, Math.min((ends(range)[0] + ends(range)[1] - width) / 2, frame.right - width));
    const row = [26, 12].find((y) => taken.every((one) => one.row !== y || one.end + 8 <= start || start + width + 8 <= one.start));
    if (row === undefined) return null;
    taken.push({ row, start, end: start + width });
    return svg("text", { x: start, y: row, class: `strong label-${familyClass(name)}` }, name);
  });
}

/** Where the advice changes: the cost at which two strategies break even. */
function rangeEnd(range, next, answer, frame, x, y, score) {
  if (range.upto === null) return null;
  const at = answer.strategies.indexOf(range.strategy);
  const even = breakEven(answer, range.strategy, next.strategy);
  const isLeft = even !== null && x(even) - frame.left > 84;
  return [
    svg("line", { x1: x(range.upto), x2: x(range.upto), y1: frame.top, y2: frame.bottom, class: "break" }),
    even === null ? null : [
      svg("circle", { cx: x(even), cy: Math.min(frame.bottom, y(score(at, even))), r: 4, class: "break-point" }),
      svg("text", { x: x(even) + (isLeft ? -8 : 8), y: Math.min(frame.bottom, y(score(at, even))) + (isLeft ? 16 : -8), class: `tick halo ${isLeft ? "end" : ""}` }, `even at ${costText(even)}`),
    ],
  ];
}

/** The cost at which two strategies score the same; null where it is not on the axis. */
function breakEven(answer, one, other) {
  const [a, b] = [answer.strategies.indexOf(one), answer.strategies.indexOf(other)];
  const cost = (answer.missed[b] - answer.missed[a]) / (answer.wrong[a] - answer.wrong[b]);
  return cost >= CHEAPEST && cost <= DEAREST ? cost : null;
}

/** @param {number} cost */
function costText(cost) {
  return cost >= 10 ? cost.toFixed(0) : cost >= 1 ? cost.toFixed(1) : cost.toFixed(2);
}
