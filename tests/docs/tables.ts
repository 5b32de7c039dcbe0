/** Tables of pages, to be compared with the code. */

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
