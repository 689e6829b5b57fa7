// What of the page is in its address? `#section?key=value` or `#sample/ID?key=value`: everything that a link should restore.

const FILTER_KEYS = ["strategy", "verdict", "damage", "severity", "reason", "replacer", "turn", "than"];

/** @returns {{section: string, sample: string | null, parameters: Record<string, string>}} */
function readAddress() {
  const [place, query = ""] = splitOnce(location.hash.slice(1), "?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  if (place.startsWith("sample/")) return { section: "samples", sample: safelyDecoded(place.slice(7)), parameters };
  return { section: place, sample: null, parameters };
}

function safelyDecoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The address of a place with these parameters; empty ones are left out. */
function address(place, parameters = {}) {
  const kept = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(kept).toString();
  return `#${place}${query ? `?${query}` : ""}`;
}

function sampleAddress(id, parameters = {}) {
  return address(`sample/${encodeURIComponent(id)}`, parameters);
}

/** A link to the list of samples with a filter. */
function filterLink(parameters, ...children) {
  return h("a", { href: address("samples", parameters) }, ...children);
}
