// What is on the page, in which order, and what does its address show?

const LIST = new SampleList();
const VIEW = new SampleView(LIST);

function go(hash) {
  if (location.hash === hash) navigate();
  else location.hash = hash;
}

function navigate() {
  const { section: name, sample, parameters } = readAddress();
  if (sample !== null) {
    LIST.show(parameters);
    VIEW.open(sample, parameters);
    return;
  }
  VIEW.close();
  if (name === "orders") OWN_ORDER?.show(parameters);
  if (name === "strategies") STRATEGY_TABLE.show(parameters);
  if (name === "samples" || Object.keys(LIST.parameters).length) LIST.show(name === "samples" ? parameters : {});
  document.getElementById(parameters.order === undefined ? name || "top" : "own-order")?.scrollIntoView();
}

function contents(sections) {
  return h("nav", { class: "contents", "aria-label": "Sections" }, sections.map((one) => {
    const [title] = one.querySelector("h2").firstChild.textContent.split(/[:,]/);
    return h("a", { href: `#${one.id}` }, title);
  }));
}

/** What is folded on a screen is shown on paper, where nobody can unfold it. */
function unfoldForPaper() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}

async function main() {
  const sections = [
    STRATEGY_TABLE.section(), comparisonSection(), trendsSection(), LIST.section(), matricesSection(), ordersSection(), latencySection(), decidersSection(),
    propertiesSection(), fuzzedSection(), termsSection(), aboutSection(),
  ].filter(Boolean);
  document.body.append(h("a", { class: "skip", href: "#samples" }, "Skip to the samples"), h("main", { id: "top" }, contents(sections), firstScreen(), sections), VIEW.dialog);
  await SOURCE.open();
  LIST.show({});
  navigate();
  unfoldForPaper();
  addEventListener("hashchange", navigate);
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !VIEW.dialog.open && !["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName ?? "")) {
      event.preventDefault();
      LIST.input.focus();
    }
  });
  document.documentElement.dataset.ready = "yes";
}

main();
