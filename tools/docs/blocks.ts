/**
 * Generated blocks of pages: the lines between `<!-- NAME -->` and `<!-- end -->`.
 *
 * @module
 */

/** Returns the text of a block. Throws an Error if the page has no such block. */
export function blockOf(page: string, name: string): string {
  const [start, end] = rangeOf(page, name);
  return page.slice(start, end).trim();
}

/** Returns the page with another text in a block. Throws an Error if the page has no such block. */
export function replaceBlock(page: string, name: string, text: string): string {
  const [start, end] = rangeOf(page, name);
  return `${page.slice(0, start)}\n\n${text}\n\n${page.slice(end)}`;
}

function rangeOf(page: string, name: string): [start: number, end: number] {
  const mark = `<!-- ${name} -->`, at = page.indexOf(mark);
  const end = page.indexOf("<!-- end -->", at);
  if (at === -1 || end === -1) throw new Error(`The page must have ${mark} and <!-- end -->`);
  return [at + mark.length, end];
}
