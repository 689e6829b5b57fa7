// What should somebody know who looks for ten seconds? Pass or fail, what turned, and which strategy to take.

function firstScreen() {
  return [
    h("header", { class: "top" },
      h("p", { class: "over" }, `editgauge · ${HEAD.date} · `, counted(HEAD.n_samples, "sample"), ` · ${counted(STRATEGIES.length, "strategy").replace("strategys", "strategies")}`),
      h("h1", {}, plain(HEAD.title), HEAD.finished ? null : h("span", { class: "state fail" }, "not finished"))),
    HEAD.comparison ? comparedBand(HEAD.comparison) : null,
    HEAD.not_comparable ? h("section", { id: "against", class: "verdict-band", "aria-label": "Compared with the baseline" }, h("p", { class: "gate" }, "NOT COMPARED"), h("p", {}, plain(HEAD.not_comparable))) : null,
    HEAD.asked.length ? askedBand(HEAD.asked) : null,
    answers(),
  ];
}

/** What `editgauge answer` said of a model that was asked. */
function askedBand([first, ...others]) {
  return h("section", { id: "asked", "aria-label": "The answer for the model that was asked" },
    h("p", { class: "lead" }, plain(first)),
    others.length ? h("ul", {}, others.map((one) => h("li", {}, plain(one)))) : null);
}

function comparedBand(found) {
  const state = { pass: ["PASS", "pass", "✓"], fail: ["FAIL", "fail", "✗"] }[found.gate] ?? ["COMPARED", "", "≠"];
  return h("section", { id: "against", class: `verdict-band ${state[1]}`, "aria-label": "Compared with the baseline" },
    h("p", { class: "gate" }, h("span", { "aria-hidden": "true" }, state[2]), ` ${state[0]}`),
    h("div", {},
      h("p", {}, "Against ", h("b", {}, plain(found.base)), `: `,
        turnLink(found, "worse", 1), ", ", turnLink(found, "better", 2), ", ", turnLink(found, "changed", 3),
        ` of ${counted(found.n_samples, "sample")}. `, h("a", { href: "#comparison" }, "By strategy")),
      found.failures.length ? h("ul", { class: "failures" }, found.failures.slice(0, 6).map(failure)) : null,
      found.failures.length > 6 ? h("p", {}, h("a", { href: "#comparison" }, `${found.failures.length - 6} more`)) : null));
}

function turnLink(found, turn, code) {
  const n = found.turns[turn];
  return n ? filterLink({ turn: code }, h("b", {}, count(n)), ` ${turn}`) : h("span", { class: "none" }, `0 ${turn}`);
}

function failure([kind, strategy, message, n]) {
  const filter = kind === "wrong_edit" ? { strategy, turn: 1, verdict: "wrong_edit" } : { strategy, turn: 1 };
  return h("li", {}, h("b", {}, plain(strategy)), ": ", n ? filterLink(filter, message) : message);
}

function answers() {
  if (!HEAD.answers.length) return h("p", { class: "lead" }, plain(HEAD.sentence));
  const place = h("div", { class: "answer" });
  const show = (answer) => fill(place,
    adviceOf(answer),
    h("div", { class: "charts" },
      h("figure", {}, h("figcaption", {}, "Score by the cost of a wrong edit"), costChart(answer)),
      h("figure", {}, h("figcaption", {}, "Match rate against wrong rate"), ratesChart(answer), legend(answer.strategies.map((at) => STRATEGIES[at])))),
    h("p", { class: "note" }, `On ${counted(answer.n, "labelled sample")} that ${answer.strategies.length} strategies share. `,
      `The score is 1 − (missed + cost × wrong) / samples. Strategies whose difference has a 95 % interval${answer.by_repository ? " by repository" : ""} `,
      "with 0 in it count as tied", answer.ranges.length > 1 ? "; the advice changes where two strategies break even (the ring)." : "."));
  show(HEAD.answers[0]);
  if (HEAD.answers.length === 1) return place;
  const select = h("select", { id: "answer-of", on: { change: () => show(HEAD.answers[select.value]) } },
    HEAD.answers.map((one, at) => h("option", { value: at }, `${familiesOf(one)}: ${one.strategies.length} strategies, ${counted(one.n, "sample")}`)));
  return [h("p", { class: "choose" }, h("label", { for: "answer-of" }, "Strategies that ran on the same samples "), select), place];
}

/** The advice, which leads unless a model was asked: then it is about a part of the replies, those in some formats. */
function adviceOf(answer) {
  if (!HEAD.asked.length) return h("p", { class: "lead" }, plain(answer.sentence));
  return h("p", {}, h("b", {}, `Of ${familiesOf(answer)} alone: `), plain(answer.sentence));
}

/** The families of an answer's strategies; of many, the first. */
function familiesOf(answer) {
  const names = [...new Set(answer.strategies.map((at) => family(STRATEGIES[at])))].map(plain);
  return names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more families` : names.join(", ");
}
