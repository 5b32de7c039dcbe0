/** Tables of pages, to be compared with the code. */
import { ROOT } from "../../tools/check/entry_points.ts";
import { markdownPages } from "../../tools/check/pages.ts";

/** Finds the rows of a table by its first title, as texts without quotes; of several such tables the `nth`. */
export function tablesOf(page: string): (title: string, nth?: number) => string[][] {
  const cells = (line: string) =>
    line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""));
  const tables = [...page.matchAll(/^(\|.*\|)\n\|[-| ]+\|\n((?:\|.*\|\n)+)/gm)]
    .map(([, head, body]) => ({
      titles: cells(head!),
      rows: body!.trimEnd().split("\n").map(cells),
    }));
  return (title, nth = 0) => {
    const found = tables.filter(({ titles }) => titles[0] === title)[nth];
    if (found === undefined) throw new Error(`there is no table of ${title} number ${nth}`);
    return found.rows;
  };
}

/** Returns the pages of a folder of `docs`, one after another, as one text. */
export async function pagesOf(folder: string): Promise<string> {
  const paths = (await markdownPages()).filter((path) => path.startsWith(`docs/${folder}/`));
  const texts = paths.map((path) => Deno.readTextFile(new URL(path, ROOT)));
  return (await Promise.all(texts)).join("\n");
}
