// What do all charts share? Scales, axes, and labels that find a free place.

const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "plus", "ring", "bar", "down", "star"];

/** The families of the run. */
const FAMILIES = [...new Set(STRATEGIES.map(family))];
/** The families that there are, so that each looks alike in all pages; a colour comes again after eight, a shape after ten. */
const KNOWN_FAMILIES = ["cascade", "replacer", "agent", "tier", "tool", "cmd", "stale", "anchors", "unified_diff", "search_replace", "begin_patch", "peer", "insert", "line_range", "documents"];

/** The number by which a family has its colour and its shape: those of other packages come after the known ones. */
function familyNumber(name) {
  const known = KNOWN_FAMILIES.indexOf(family(name));
  return known >= 0 ? known : KNOWN_FAMILIES.length + FAMILIES.filter((one) => !KNOWN_FAMILIES.includes(one)).indexOf(family(name));
}

function familyClass(name) {
  return `family-${familyNumber(name) % 8}`;
}

/** The mark of a family at a point. */
function shape(name, x, y, size = 4.5, attributes = {}) {
  const kind = SHAPES[familyNumber(name) % SHAPES.length];
  const paths = {
    square: `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`,
    triangle: `M${x} ${y - size * 1.2}L${x + size * 1.15} ${y + size * 0.9}H${x - size * 1.15}z`,
    down: `M${x} ${y + size * 1.2}L${x + size * 1.15} ${y - size * 0.9}H${x - size * 1.15}z`,
    star: `M${x - size} ${y}H${x + size}M${x - size / 2} ${y - size}L${x + size / 2} ${y + size}M${x - size / 2} ${y + size}L${x + size / 2} ${y - size}`,
    diamond: `M${x} ${y - size * 1.3}L${x + size * 1.3} ${y}L${x} ${y + size * 1.3}L${x - size * 1.3} ${y}z`,
    cross: `M${x - size} ${y - size}L${x + size} ${y + size}M${x - size} ${y + size}L${x + size} ${y - size}`,
    plus: `M${x - size} ${y}H${x + size}M${x} ${y - size}V${y + size}`,
    bar: `M${x - size * 1.2} ${y - size / 2}h${size * 2.4}v${size}h${-size * 2.4}z`,
  };
  const className = `${familyClass(name)} ${kind}`;
  if (paths[kind]) return svg("path", { d: paths[kind], class: className, ...attributes });
  return svg("circle", { cx: x, cy: y, r: size, class: className, ...attributes });
}

/** @param {string[]} names of the strategies that a drawing shows */
function legend(names) {
  const shown = FAMILIES.filter((one) => names.some((name) => family(name) === one));
  return h("ul", { class: "legend", "aria-label": "Families" }, shown.map((name) =>
    h("li", {}, svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, shape(`${name}/`, 7, 7)), name)));
}

/** Round numbers between two numbers, about n of them. */
function ticks(low, high, n) {
  const rough = (high - low) / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? power * 10;
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toFixed(10)));
  return found;
}

const RULER = document.createElement("canvas").getContext("2d");

/** Pixels of a label in the font of charts. */
function textWidth(text, strong) {
  RULER.font = `${strong ? "650 " : ""}12px system-ui, sans-serif`;
  return RULER.measureText(text).width;
}

const FEW_POINTS = 12;

/** Labels beside points, none over another, a point or the frame, nor nearer to another point unless a line leads to its own, where
 * points are few; one without a free place is left out.
 * @param {{x: number, y: number, text: string, strong?: boolean}[]} wanted the most important first
 * @param {{width: number, height: number}} frame @param {{x: number, y: number}[]} points */
function placedLabels(wanted, frame, points) {
  const taken = points.map(({ x, y }) => [x - 6, y - 6, x + 6, y + 6]);
  const shown = [], few = points.length <= FEW_POINTS;
  for (const { x, y, text, strong } of wanted) {
    const width = textWidth(text, strong) + 4;
    const centred = Math.min(Math.max(x - width / 2, frame.left), frame.right - width);
    const places = [];
    for (const distance of strong || few ? [9, 20, 34, 50] : [9, 20]) {
      places.push([x + distance, y - 7], [x - distance - width, y - 7], [centred, y - distance - 14], [centred, y + distance],
        [x + distance * 0.7, y - distance - 8], [x - distance * 0.7 - width, y - distance - 8], [x + distance * 0.7, y + distance - 4], [x - distance * 0.7 - width, y + distance - 4]);
    }
    const free = places.map(([left, top]) => [left, top, left + width, top + 14]).find((box) =>
      box[0] >= frame.left && box[1] >= frame.top && box[2] <= frame.right && box[3] <= frame.bottom
      && !taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])
      && (strong || (few && isLed(box, { x, y })) || !points.some((other) => Math.hypot(other.x - x, other.y - y) > 4 && apart(box, other) < apart(box, { x, y }) + 4)));
    if (!free) continue;
    taken.push(free);
    if (isLed(free, { x, y })) {
      shown.push(svg("line", { x1: x, y1: y, x2: Math.min(Math.max(x, free[0]), free[2]), y2: levelOf(free) < y ? free[3] - 2 : free[1] + 2, class: "leader" }));
    }
    shown.push(svg("text", { x: free[0] + 2, y: free[1] + 11, class: strong ? "strong" : null }, text));
  }
  return shown;
}

/** Whether a line leads from a point to its label. */
function isLed(box, { x, y }) {
  return Math.hypot(Math.max(box[0] - x, 0, x - box[2]), levelOf(box) - y) > 16;
}

/** The middle of a box, from above. */
function levelOf([, top, , bottom]) {
  return (top + bottom) / 2;
}

/** How far a box is from a point. */
function apart([left, top, right, bottom], { x, y }) {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}

/** A drawing that keeps its proportions. */
function chart(width, height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label }, ...children);
}

/** A place that is drawn again whenever its width changes. @param {(width: number) => any} draw */
function responsive(draw) {
  const place = h("div", { class: "drawing" });
  let known = 0;
  new ResizeObserver(() => {
    const width = Math.floor(place.clientWidth);
    if (width && width !== known) fill(place, draw((known = width)));
  }).observe(place);
  return place;
}
