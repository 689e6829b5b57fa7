// Which words of a drawn text are keywords, strings, comments? They are coloured after it is drawn, and its elements stay as they are.

/** A longer text stays plain: some texts take highlight.js a time that grows with the square of their length, a second for 20,000 characters. */
const LONGEST_COLOURED = 30_000;
const LONGEST_COLOURED_LINE = 2_000;
/** Milliseconds for the texts of one sample; those that are left then stay plain. */
const MOST_COLOURING = 1_000;

/** Colour of the style sheet -> what highlight.js calls the words in it; a word without one has that of the words around it. */
const COLOURS = {
  comment: ["comment", "quote"],
  keyword: ["keyword", "literal", "name", "selector-tag", "bullet"],
  string: ["string", "regexp", "char", "link", "code", "addition"],
  number: ["number", "symbol", "deletion"],
  title: ["title", "section"],
  type: ["type", "built_in", "attr", "attribute", "property", "meta", "variable", "template-variable", "selector-class", "selector-id", "selector-attr", "selector-pseudo"],
  plain: ["subst", "params"],
};
const COLOUR_OF = new Map(Object.entries(COLOURS).flatMap(([colour, scopes]) => scopes.map((scope) => [`hljs-${scope}`, colour])));
/** All that highlight.js writes: the start of a scope, its end, an escape, and text. */
const WRITTEN = /<span class="([^" ]*)[^"]*">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+/g;

/** Language of highlight.js -> files of others that are written like it. */
const LIKE = { xml: ["vue", "svelte"], json: ["ipynb"] };

/** Text node -> the index of its first character in the line that it draws. @type {WeakMap<Text, number>} */
const DRAWN_FROM = new WeakMap();

/** @typedef {{text: string, shown?: Element}} DrawnLine  without an element where it is folded */

/** The sample that is shown, the texts of it that are yet to be coloured, and the time that it took so far. */
const COLOURED = { path: "", language: "", waiting: [], isRunning: false, spent: 0 };
let highlighter = null;

/** Begin with the texts of another sample. @param {string} language of its file, as Pygments calls it */
function colourFor(path, language) {
  Object.assign(COLOURED, { path, language, waiting: [], spent: 0 });
  for (const colour of Object.keys(COLOURS)) CSS.highlights?.delete(colour);
}

/** Part of a line as a text, which can be coloured. */
function drawnText(line, from, to) {
  const text = document.createTextNode(line.slice(from, to));
  DRAWN_FROM.set(text, from);
  return text;
}

/** Colour the lines of one text of a file, once they can be seen; nothing where the browser has no highlights. @param {DrawnLine[]} lines */
function colourLater(path, lines) {
  const size = lines.reduce((sum, line) => sum + line.text.length + 1, 0);
  if (!path || !globalThis.Highlight || size > LONGEST_COLOURED || lines.some((line) => line.text.length > LONGEST_COLOURED_LINE)) return;
  COLOURED.waiting.push({ path, lines });
  if (!COLOURED.isRunning) colourWaiting();
}

async function colourWaiting() {
  COLOURED.isRunning = true;
  highlighter ??= startedHighlighter();
  const library = await highlighter;
  for (let isLeft = true; isLeft; isLeft = COLOURED.waiting.length > 0) {
    await new Promise((resume) => requestAnimationFrame(() => setTimeout(resume)));
    const started = performance.now();
    // Several in one frame: one a frame would take seconds for samples with many results.
    while (COLOURED.waiting.length && COLOURED.spent < MOST_COLOURING && performance.now() - started < 12) {
      const before = performance.now();
      const { path, lines } = COLOURED.waiting.shift();
      colourLines(library, path, lines);
      COLOURED.spent += performance.now() - before;
    }
    if (COLOURED.spent >= MOST_COLOURING) COLOURED.waiting = [];
  }
  COLOURED.isRunning = false;
}

/** highlight.js, which is in the page as its data is; the page's policy names its hash. */
async function startedHighlighter() {
  const script = h("script", {}, await unpacked(document.getElementById("data-highlighter").textContent));
  document.head.append(script);
  script.remove();
  for (const [languageName, names] of Object.entries(LIKE)) window.hljs.registerAliases(names, { languageName });
  return window.hljs;
}

function colourLines(library, path, lines) {
  const text = lines.map((line) => line.text).join("\n");
  const language = languageOf(library, path);
  if (!language) return;
  const words = wordsIn(library.highlight(text, { language, ignoreIllegals: true }).value);
  let [start, first] = [0, 0];
  for (const line of lines) {
    while (first < words.length && words[first].to <= start) first += 1;
    if (line.shown) colourLine(line.shown, start, words, first);
    start += line.text.length + 1;
  }
}

/** A name that highlight.js has for the language of a file; undefined for others. */
function languageOf(library, path) {
  const ending = /[^./\\]+$/.exec(path)?.[0] ?? "";
  return [path === COLOURED.path ? COLOURED.language : "", ending].find((name) => name && library.getLanguage(name));
}

/** @param {string} written by highlight.js; it is read here and never parsed as HTML @returns {{from: number, to: number, colour: string}[]} */
function wordsIn(written) {
  const words = [];
  const around = ["plain"];
  let at = 0;
  for (const [piece, scope] of written.matchAll(WRITTEN)) {
    if (scope !== undefined) around.push(COLOUR_OF.get(scope) ?? around[around.length - 1]);
    else if (piece === "</span>") around.pop();
    else {
      const to = at + (piece[0] === "&" ? 1 : piece.length);
      const colour = around[around.length - 1];
      const last = words[words.length - 1];
      if (last?.to === at && last.colour === colour) last.to = to;
      else if (colour !== "plain") words.push({ from: at, to, colour });
      at = to;
    }
  }
  return words;
}

/** Colour the words of a text, from the first on, in the element that draws the line from `start` on. */
function colourLine(element, start, words, first) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const from = DRAWN_FROM.get(text);
    if (from === undefined) continue;
    const [low, high] = [start + from, start + from + text.length];
    for (let at = first; at < words.length && words[at].from < high; at += 1) {
      const { from: wordFrom, to, colour } = words[at];
      if (to <= low) continue;
      const range = new StaticRange({ startContainer: text, startOffset: Math.max(wordFrom, low) - low, endContainer: text, endOffset: Math.min(to, high) - low });
      if (!CSS.highlights.has(colour)) CSS.highlights.set(colour, new Highlight());
      CSS.highlights.get(colour).add(range);
    }
  }
}
