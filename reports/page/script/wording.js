// How are numbers, names and invisible characters written?

const ABSENT = "–";
const VERDICT_WORDS = {
  correct: "correct", wrong_edit: "wrong", missed: "missed", refused: "refused", unlabelled: "unlabelled",
  crashed: "crashed", timed_out: "timed out", unstable: "unstable", unmeasured: "unmeasured",
};
const LETTERS = { "\0": "NUL", "\x07": "BEL", "\b": "BS", "\v": "VT", "\f": "FF", "\r": "CR", "\x1b": "ESC" };
const ODD = /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffd\ud800-\udfff]/;

/** @param {number} value a share of 1 */
function percent(value) {
  let digits = 1;
  while (digits < 4 && value > 0 && value < 1 && [0, 100].includes(Number((100 * value).toFixed(digits)))) digits += 1;
  return `${(100 * value).toFixed(digits)} %`;
}

/** @param {number[] | null} rate [value, low, high, n] */
function intervalText(rate) {
  return rate ? `${(100 * rate[1]).toFixed(1)}–${(100 * rate[2]).toFixed(1)}` : "";
}

function rateTitle(name, rate) {
  return rate ? `${name}: ${percent(rate[0])}, 95 % interval ${intervalText(rate)}, n = ${count(rate[3])}` : `${name}: not measured`;
}

function count(n) {
  return n.toLocaleString("en-US").replace("-", "−");
}

function counted(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** @param {number | null} ns */
function duration(ns) {
  if (ns === null || ns === undefined || ns < 0) return ABSENT;
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= 0.9995 * size) {
      const value = ns / size;
      return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${unit}`;
    }
  }
  return `${ns} ns`;
}

function family(name) {
  return name.includes("/") ? name.slice(0, name.indexOf("/")) : name.includes(":") ? name.slice(0, name.indexOf(":")) : "other";
}

/** A name with each invisible character as its code point. */
function plain(text) {
  return Array.from(String(text), (one) => (ODD.test(one) && one !== "\xa0" ? mark(one) : one)).join("");
}

function mark(character) {
  const code = character.codePointAt(0);
  return LETTERS[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Characters that look like others, with their names. */
const ALIKE = {
  "\u00a0": "NO-BREAK SPACE", "\u2010": "HYPHEN", "\u2011": "NON-BREAKING HYPHEN", "\u2012": "FIGURE DASH",
  "\u2013": "EN DASH", "\u2014": "EM DASH", "\u2015": "HORIZONTAL BAR", "\u2212": "MINUS SIGN",
  "\u2018": "LEFT SINGLE QUOTATION MARK", "\u2019": "RIGHT SINGLE QUOTATION MARK", "\u201a": "SINGLE LOW-9 QUOTATION MARK", "\u201b": "SINGLE HIGH-REVERSED-9 QUOTATION MARK",
  "\u201c": "LEFT DOUBLE QUOTATION MARK", "\u201d": "RIGHT DOUBLE QUOTATION MARK", "\u201e": "DOUBLE LOW-9 QUOTATION MARK", "\u2032": "PRIME",
  "\u2033": "DOUBLE PRIME", "\u2026": "HORIZONTAL ELLIPSIS", "\u2002": "EN SPACE", "\u2003": "EM SPACE",
  "\u2009": "THIN SPACE", "\u200b": "ZERO WIDTH SPACE", "\u202f": "NARROW NO-BREAK SPACE", "\u2060": "WORD JOINER",
  "\u3000": "IDEOGRAPHIC SPACE", "\ufeff": "ZERO WIDTH NO-BREAK SPACE", "\uff08": "FULLWIDTH LEFT PARENTHESIS", "\uff09": "FULLWIDTH RIGHT PARENTHESIS",
  "\uff0c": "FULLWIDTH COMMA", "\uff1a": "FULLWIDTH COLON", "\u037e": "GREEK QUESTION MARK",
};

/** A long name that may be broken after / and _. */
function breakable(name) {
  const parts = plain(name).split(/(?<=[/_])/);
  return parts.flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
}
