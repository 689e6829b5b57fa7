// How did the rates of each strategy move over the nights?

function trendsSection() {
  const found = HEAD.trends;
  if (!found) return null;
  const last = found.nights.length - 1;
  const table = h("table", { class: "trends" }, h("thead", {}, h("tr", {}, ["strategy", "match rate", "", "wrong rate", ""].map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, found.strategies.map((one) => h("tr", {}, h("th", { scope: "row" }, breakable(one.name)),
      [one.match, one.wrong].map((rates, at) => [h("td", { class: "n" }, rates[last] ? percent(rates[last][0]) : ABSENT), h("td", { class: "spark" }, spark(one, rates, found, at ? "wrong rate" : "match rate"))])))));
  const failed = found.nights.map((name, at) => [name, found.failed[at]]).filter(([, why]) => why.length);
  return section("trends", "Nights",
    h("p", {}, `${counted(found.nights.length, "night")}, from ${plain(found.nights[0])} to ${plain(found.nights[last])}. The band is the 95 % interval of each night; ✗ marks a night that failed`, found.baseline ? `, ▲ the baseline, ${plain(found.baseline)}.` : "."),
    scrolling("Rates over the nights", table),
    failed.length ? h("details", {}, h("summary", {}, `${counted(failed.length, "night")} failed`), h("ul", {}, failed.map(([name, why]) => h("li", {}, h("b", {}, plain(name)), ": ", plain(why.join("; ")))))) : null);
}

function spark(one, rates, found, name) {
  const [width, height] = [260, 40];
  const known = rates.filter(Boolean);
  if (!known.length) return null;
  const low = Math.min(...known.map((rate) => rate[1]));
  const high = Math.max(...known.map((rate) => rate[2]), low + 0.002);
  const x = (at) => 6 + (at / Math.max(1, rates.length - 1)) * (width - 12);
  const y = (value) => 4 + (1 - (value - low) / (high - low)) * (height - 16);
  const there = rates.map((rate, at) => [rate, at]).filter(([rate]) => rate);
  const band = [...there.map(([rate, at]) => `${x(at)} ${y(rate[2])}`), ...[...there].reverse().map(([rate, at]) => `${x(at)} ${y(rate[1])}`)];
  const isFailed = (at) => found.failed[at].some((why) => why.startsWith(`${one.name}: `));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${name} of ${one.name} over the nights, now ${percent(there[there.length - 1][0][0])}` },
    svg("path", { d: `M${band.join("L")}z`, class: "spark-band" }),
    svg("path", { d: `M${there.map(([rate, at]) => `${x(at)} ${y(rate[0])}`).join("L")}`, class: "spark-line" }),
    there.map(([rate, at]) => svg("circle", { cx: x(at), cy: y(rate[0]), r: isFailed(at) ? 3.5 : 1.8, class: isFailed(at) ? "spark-failed" : "spark-point" }, svg("title", {}, `${found.nights[at]}\n${rateTitle(name, rate)}`))),
    there.map(([, at]) => (isFailed(at) || found.nights[at] === found.baseline) ? svg("text", { x: x(at), y: height - 1, class: isFailed(at) ? "spark-mark failed" : "spark-mark" }, isFailed(at) ? "✗" : "▲") : null));
}
