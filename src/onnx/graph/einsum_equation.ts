/** Parsed equation of an Einsum: the labels of the axes of its inputs and its output. */
export interface EinsumEquation {
  /** Labels of each input's axes. */
  readonly inputs: readonly (readonly string[])[];
  /** Labels of the output's axes. */
  readonly output: readonly string[];
}

const DOTS = "...";

/**
 * Parses the equation of an Einsum. The axes of an ellipsis get the labels `...1`, `...2` and so on, from the last
 * axis to the first.
 *
 * @param ranks number of axes of each input, if known; an input with an ellipsis needs it
 * @returns `undefined` if the equation is invalid, does not fit the ranks, or needs an unknown rank
 */
export function einsumEquation(
  text: string,
  ranks: readonly (number | undefined)[],
): EinsumEquation | undefined {
  const [left = "", right, ...more] = text.replaceAll(/\s/g, "").split("->");
  const terms = left.split(",");
  const isWellFormed = [...terms, right ?? ""].every((term) =>
    /^[A-Za-z]*(\.\.\.)?[A-Za-z]*$/.test(term)
  );
  if (more.length > 0 || terms.length !== ranks.length || !isWellFormed) return undefined;
  const counts = terms.map((term, i) => {
    const letters = term.replace(DOTS, "").length;
    if (term.includes(DOTS)) return (ranks[i] ?? NaN) - letters;
    return letters === (ranks[i] ?? letters) ? 0 : NaN;
  });
  if (counts.some((count) => !(count >= 0))) return undefined;
  const inputs = terms.map((term, i) => labelsOf(term, counts[i] ?? 0));
  const most = Math.max(...counts);
  const output = labelsOf(right ?? implicitOutput(terms), most);
  const known = new Set(inputs.flat());
  const isMade = output.every((label) => known.has(label));
  return isMade && new Set(output).size === output.length ? { inputs, output } : undefined;
}

function labelsOf(term: string, count: number): string[] {
  const dots = Array.from({ length: count }, (_, i) => `${DOTS}${count - i}`);
  const [before = "", after] = term.split(DOTS);
  return after === undefined ? [...before] : [...before, ...dots, ...after];
}

/**
 * Returns the output of an equation without an arrow: the ellipsis, then all letters that occur once, in
 * alphabetical order.
 */
function implicitOutput(terms: readonly string[]): string {
  const letters = [...terms.join("").replaceAll(".", "")];
  const once = letters.filter((letter) => letters.indexOf(letter) === letters.lastIndexOf(letter));
  return (terms.some((term) => term.includes(DOTS)) ? DOTS : "") + once.sort().join("");
}
