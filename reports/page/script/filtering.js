// Which samples does a filter leave?

const FACETS = Object.entries(HEAD.facets).filter(([, words]) => words.length > 1 || words[0]);

/** The value of `turn` that takes every sample that turned. */
const TURNED = "any";

/**
 * @typedef {{strategy: number, verdict: string, damage: string, severity: string, reason: string, replacer: string,
 *            turn: number, than: number, facets: Record<string, number>, words: string[]}} Filter
 */

/** @param {Record<string, string>} parameters of the address @returns {Filter} */
function filterOf(parameters) {
  const facets = {};
  for (const [name, words] of FACETS) {
    if (name in parameters) facets[name] = words.indexOf(parameters[name]);
  }
  const plainly = Object.fromEntries(["verdict", "damage", "severity", "reason", "replacer"].map((key) => [key, parameters[key] ?? ""]));
  return {
    ...plainly, facets, turn: parameters.turn === TURNED ? -1 : Number(parameters.turn ?? 0),
    strategy: parameters.strategy === undefined ? -1 : STRATEGIES.indexOf(parameters.strategy) < 0 ? -2 : STRATEGIES.indexOf(parameters.strategy),
    than: parameters.than === undefined ? -1 : STRATEGIES.indexOf(parameters.than),
    words: wordsOf(parameters.q ?? ""),
  };
}

/** Words, and "quoted parts" as one word each; all must occur. */
function wordsOf(text) {
  return [...text.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map((found) => found[1] ?? found[2]);
}

/** For each kind of outcome, whether the filter wants it; null where it takes any. */
function wantedKinds(filter) {
  const keys = ["verdict", "damage", "severity", "reason", "replacer"];
  if (keys.every((key) => !filter[key])) return null;
  return Uint8Array.from(HEAD.kinds, (kind, code) => (code && keys.every((key, at) => !filter[key] || kind[at] === filter[key]) ? 1 : 0));
}

const RIGHT = Uint8Array.from(HEAD.kinds, ([verdict]) => (verdict === "correct" || verdict === "refused" ? 1 : 0));
const LABELLED = Uint8Array.from(HEAD.kinds, ([verdict, , , , , label]) => (["correct", "refused", "wrong_edit", "missed"].includes(verdict) || ["apply", "refuse"].includes(label) ? 1 : 0));

/** The samples that a filter leaves, by number and in the order of the list, words aside. @param {any} lists @param {Filter} filter @returns {number[]} */
function matching(lists, filter) {
  if (filter.strategy === -2) return [];
  const wanted = wantedKinds(filter);
  const facets = Object.entries(filter.facets).map(([name, code]) => [lists.facets[name], code]);
  const own = filter.strategy >= 0 ? lists.kind[filter.strategy] : null;
  const other = filter.than >= 0 ? lists.kind[filter.than] : null;
  const found = [];
  for (const at of lists.order) {
    if (filter.turn < 0 ? !lists.turn[at] : filter.turn && lists.turn[at] !== filter.turn) continue;
    if (facets.some(([codes, code]) => codes[at] !== code)) continue;
    if (own) {
      if (!own[at] || (wanted && !wanted[own[at]])) continue;
      if (other && !(RIGHT[own[at]] && LABELLED[other[at]] && !RIGHT[other[at]])) continue;
    } else if (wanted && !lists.kind.some((codes) => wanted[codes[at]])) continue;
    found.push(at);
  }
  return found;
}
