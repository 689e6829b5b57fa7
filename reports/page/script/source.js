// Where do samples come from? From this file, or from `editgauge serve`.

/**
 * @typedef {{id: string, path: string, turn: number, kinds: number[], facets: Record<string, number>}} Row
 * @typedef {Record<string, any>} Texts  see reports/page/texts.py
 */

const HEAD = JSON.parse(document.getElementById("data-head").textContent);
const STRATEGIES = HEAD.strategies.map((one) => one.name);

/** @param {string} text deflated JSON in base64 */
async function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Samples in this file. */
class Embedded {
  constructor() {
    this.lists = null;
    this.blocks = new Map();
    this.hay = [];
  }

  async open() {
    this.lists = await unpacked(document.getElementById("data-lists").textContent);
    this.number = new Map(this.lists.ids.map((id, at) => [id, at]));
    this.names = this.lists.ids.map((id, at) => `${id}\n${this.lists.paths[this.lists.path[at]]}`.toLowerCase());
  }

  get total() {
    return this.lists.ids.length;
  }

  /** @returns {Promise<Texts[]>} the texts of a block of samples */
  async block(number) {
    let found = this.blocks.get(number);
    if (!found) {
      found = unpacked(document.getElementById(`data-${number}`).textContent);
      if (this.blocks.size > 40) this.blocks.delete(this.blocks.keys().next().value);
      this.blocks.set(number, found);
    }
    return found;
  }

  async texts(row) {
    const at = this.number.get(row.id);
    return (await this.block(Math.floor(at / HEAD.block)))[at % HEAD.block];
  }

  /** @returns {Row} */
  row(at) {
    const lists = this.lists;
    const facets = Object.fromEntries(Object.entries(lists.facets).map(([name, codes]) => [name, codes[at]]));
    return {
      id: lists.ids[at], path: lists.paths[lists.path[at]], turn: lists.turn[at] ?? 0,
      kinds: lists.kind.map((codes) => codes[at]), facets,
    };
  }

  async find(id) {
    const at = this.number.get(id);
    return at === undefined ? null : this.row(at);
  }

  /** The lower-case texts of a block for searching, made once. */
  async searchable(number) {
    if (!this.hay[number]) this.hay[number] = (await this.block(number)).map(searchText);
    return this.hay[number];
  }

  /** Start a search: `found` is called with the samples so far, again as more are found; returns a function that stops it. */
  query(filter, found) {
    let stopped = false;
    const words = filter.words;
    const candidates = matching(this.lists, filter);
    if (!words.length) {
      found(candidates, true);
      return () => {};
    }
    const hits = new Set(candidates.filter((at) => words.every((word) => this.names[at].includes(word))));
    const shown = () => candidates.filter((at) => hits.has(at));
    found(shown(), false);
    const search = async () => {
      let painted = performance.now();
      const wanted = new Map();
      for (const at of candidates) {
        const number = Math.floor(at / HEAD.block);
        if (!wanted.has(number)) wanted.set(number, []);
        wanted.get(number).push(at);
      }
      for (const [number, some] of wanted) {
        const known = Boolean(this.hay[number]);
        const hay = await this.searchable(number);
        if (stopped) return;
        for (const at of some) {
          const text = hay[at % HEAD.block];
          if (words.every((word) => text.includes(word) || this.names[at].includes(word))) hits.add(at);
        }
        if (performance.now() - painted > (known ? 12 : 120)) {
          found(shown(), false);
          await new Promise((resume) => setTimeout(resume));
          if (stopped) return;
          painted = performance.now();
        }
      }
      found(shown(), true);
    };
    const timer = setTimeout(search, 30);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  async rows(list, from, to) {
    return list.slice(from, to).map((at) => this.row(at));
  }
}

/** All that is searched of a sample besides its id and path. */
function searchText(texts) {
  const parts = [texts.edit ?? "", texts.place ?? ""];
  for (const change of texts.changes ?? []) parts.push(change[2], typeof change[4] === "string" ? change[4] : "", change[5]);
  for (const wrong of texts.wrong ?? []) parts.push(wrong[1], wrong[3], wrong[4]);
  for (const [message] of [...(texts.messages ?? []), ...(texts.errors ?? [])]) parts.push(message);
  return parts.join("\n").toLowerCase();
}

/** Samples of a run folder that `editgauge serve` pages. */
class Served {
  constructor(token) {
    this.token = token;
  }

  async open() {}

  get total() {
    return HEAD.n_samples;
  }

  async ask(what, parameters) {
    const query = new URLSearchParams({ token: this.token, ...parameters });
    const answer = await fetch(`${what}?${query}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async texts(row) {
    return this.ask("texts", { id: row.id });
  }

  async find(id) {
    return this.ask("sample", { id });
  }

  query(filter, found) {
    let stopped = false;
    const parameters = { filter: JSON.stringify({ ...filter, words: filter.words }) };
    const ask = async () => {
      while (!stopped) {
        const answer = await this.ask("count", parameters);
        if (!stopped) found({ length: answer.n, parameters }, answer.is_complete, answer.share);
        if (answer.is_complete) return;
      }
    };
    const timer = setTimeout(ask, filter.words.length ? 150 : 0);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  async rows(list, from, to) {
    return (await this.ask("rows", { ...list.parameters, from, to })).rows;
  }
}

const SOURCE = HEAD.token ? new Served(HEAD.token) : new Embedded();
