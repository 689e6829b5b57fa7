// A module of a package that is published as one bundle: its source, as the bundle's source map has it.
//
// The bundle exports the program's client alone; its map holds the text of every file that it was made of. esbuild,
// which is installed beside the package, makes a module of one of them and of all that it imports.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";

const SUFFIXES = ["", ".ts", ".tsx", ".js", "/index.ts", "/index.js"];

/** The exports of the first source whose path ends so. */
export async function loadSource(map, ending) {
  const modules = `${process.env.EDITGAUGE_PEER}/node_modules`;
  const { build } = createRequire(`${modules}/`)("esbuild");
  const { sources, sourcesContent } = JSON.parse(readFileSync(`${modules}/${map}`, "utf8"));
  const texts = new Map(sources.map((path, at) => [posix.normalize(path), sourcesContent[at]]));
  const entry = [...texts.keys()].find((path) => path.endsWith(ending));
  if (entry === undefined) throw new Error(`${map} has no ${ending}`);

  const fromMap = {
    name: "source map",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point") return { path, namespace: "map" };
        const found = path.startsWith(".") && posix.join(posix.dirname(importer), path);
        const known = found && SUFFIXES.map((suffix) => found + suffix).find((one) => texts.has(one));
        // What the map has not is a package beside it.
        return known ? { path: known, namespace: "map" } : { path, external: true };
      });
      onLoad({ filter: /.*/, namespace: "map" }, ({ path }) => ({
        contents: texts.get(path),
        loader: path.endsWith(".tsx") ? "tsx" : path.endsWith(".js") ? "js" : "ts",
        resolveDir: modules,
      }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    treeShaking: true,
    logLevel: "error",
    plugins: [fromMap],
  });
  const folder = mkdtempSync(join(process.env.EDITGAUGE_PEER, "source-"));
  try {
    const file = join(folder, "module.mjs");
    writeFileSync(file, outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
