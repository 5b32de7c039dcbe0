/** The length files aim at. Longer ones are printed, never refused: no split for a number's sake. */
const LINES = 200;

/** The files longer than they aim to be, longest first. */
export function longFiles(sources: ReadonlyMap<string, string>): string[] {
  return [...sources]
    .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ file, lines }) => lines > LINES && !file.endsWith(".gen.ts"))
    .sort((a, b) => b.lines - a.lines)
    .map(({ file, lines }) => `${file}: ${lines} lines`);
}
