/** The length files aim at. Longer ones are printed, and refused only above {@linkcode MOST_LINES}. */
const LINES = 200;

/** The most lines that a file of src has. */
export const MOST_LINES = 350;

/** Returns the files that are longer than they aim to be, or than `limit`, longest first. */
export function longFiles(
  sources: ReadonlyMap<string, string>,
  limit: number = LINES,
): string[] {
  return [...sources]
    .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ file, lines }) => lines > limit && !file.endsWith(".gen.ts"))
    .sort((a, b) => b.lines - a.lines)
    .map(({ file, lines }) => `${file}: ${lines} lines`);
}

/** The files that a folder aims at: with more, its parts want folders of their own. */
const FILES = 25;

/** Returns the folders with more than 25 modules of their own, as sentences. */
export function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (!file.endsWith(".ts")) continue;
    const folder = file.slice(0, file.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > FILES)
    .map(([folder, count]) => `${folder}: ${count} files`);
}
