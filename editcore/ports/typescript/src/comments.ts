/** Which lines are comments for people, by the name of the file (12.4). */

import { SPACE, WORD, stripped } from "./text.js";

const [HASH, SLASHES, ANGLE] = [["#"], ["//", "/*"], ["<!--"]] as const;
const ANYWHERE = [...SLASHES, ...ANGLE];
const FAMILIES: readonly (readonly [readonly string[], string])[] = [
  [HASH, ".py .pyi .rb .sh .bash .zsh .fish .yml .yaml .toml .pl .pm .r .jl .ex .exs .tf .mk .cmake .ps1 .nix .awk makefile dockerfile gemfile rakefile .env .gitignore .dockerignore"],
  [SLASHES, ".c .h .cc .cpp .cxx .hpp .hh .m .mm .java .js .jsx .mjs .cjs .ts .tsx .go .rs .swift .kt .kts .scala .cs .dart .scss .less .proto .zig .groovy .gradle .css .sol"],
  [[...SLASHES, ...HASH], ".php"],
  [["--"], ".sql .lua .hs .elm .adb .ads"],
  [[";"], ".lisp .cl .clj .cljs .el .scm .rkt .asm .ini"],
  [["%"], ".tex .sty .erl .hrl"],
  [ANGLE, ".html .htm .xml .svg .md .markdown"],
  [ANYWHERE, ".vue .svelte .astro"],
];
const SIGNS = new Map(FAMILIES.flatMap(([signs, names]) => names.split(" ").map((name) => [name, signs] as const)));
const END = `(?![${WORD}])`;
const FOR_A_TOOL = new RegExp(
  `^(?:[!@]|-\\*-|#?(?:region|endregion)${END}|(?:type|fmt|mypy|ruff|isort|yapf|flake8|pylint|coding|pragma|rubocop|jshint)[${SPACE}]*[:=-]|` +
    "(?:noqa|nosec|nolint|eslint|tslint|prettier|biome|istanbul|(?:c8|v8) ignore|clang-" +
    `[${WORD}]+|shellcheck|webpack[${WORD}]*:|frozen_string_literal)(?:(?<=[${WORD}])${END}|(?<![${WORD}])(?=[${WORD}])))`,
  "iu",
);
const BEGINS_WITH_SPACE = new RegExp(`^[${SPACE}]`);

/** The extension of a name as POSIX has it: none of a name that only begins with a full stop. */
function extension(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 && /[^.]/.test(name.slice(0, at)) ? name.slice(at) : "";
}

export function isComment(line: string, path: string): boolean {
  const text = stripped(line);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const signs = SIGNS.get(extension(name)) ?? SIGNS.get(name) ?? ANYWHERE;
  const sign = signs.find((one) => text.startsWith(one));
  if (sign === undefined) return false;
  const last = sign.at(-1)!;
  let said = text.slice(sign.length);
  while (said.startsWith(last)) said = said.slice(1);
  return (said === "" || BEGINS_WITH_SPACE.test(said)) && !FOR_A_TOOL.test(stripped(said));
}
