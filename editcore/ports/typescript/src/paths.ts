/** Paths of files as POSIX has them, and names as editgauge accepts them (editcore/quoting). */

/** The path without `.`, `..` and doubled slashes, where the text alone says what they mean. */
export function normpath(path: string): string {
  const root = /^\/\/(?!\/)/.test(path) ? "//" : path.startsWith("/") ? "/" : "";
  const parts: string[] = [];
  for (const one of path.split("/")) {
    if (one === "" || one === ".") continue;
    if (one !== ".." || (root === "" && parts.length === 0) || parts.at(-1) === "..") parts.push(one);
    else parts.pop();
  }
  return root + parts.join("/") || ".";
}

/** The relative path; null if it is empty, absolute, or contains `..` or NUL. */
export function normalPath(path: string): string | null {
  const slashes = path.replaceAll("\\", "/");
  const clean = path === "" ? "." : normpath(slashes);
  const isAbsolute = clean.startsWith("/") || clean.split("/")[0] === "~" || [slashes, clean].some((one) => one.slice(1, 3) === ":/");
  return clean === "." || isAbsolute || slashes.split("/").includes("..") || path.includes("\0") ? null : clean;
}

/** The folders that a path is in, the outermost first. */
export function folders(path: string): string[] {
  let above = "";
  return path.split("/").slice(0, -1).map((one) => (above += above === "" || above.endsWith("/") ? one : `/${one}`));
}
