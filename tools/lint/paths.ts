const ROOT = new URL("../../", import.meta.url);

/** The path of a linted file from the package's root; outside it, or already relative, as it is. */
export function pathFromRoot(filename: string): string {
  const path = filename.replaceAll("\\", "/");
  const root = decodeURIComponent(ROOT.pathname);
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Where a relative import leads, from the package's root. */
export function resolveFromRoot(from: string, specifier: string): string {
  const base = new URL(from, "file:///root/");
  const path = decodeURIComponent(new URL(specifier, base).pathname);
  return path.startsWith("/root/") ? path.slice("/root/".length) : `..${path}`;
}

/** Whether the file belongs to what is published. */
export function isPublished(filename: string): boolean {
  const path = pathFromRoot(filename);
  return path === "mod.ts" || path.startsWith("src/");
}
