/** Returns a number with a noun, as in "1 structure" and "2 structures". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
