/** Returns the name of a file or folder without its folder and its ending. */
export function stemOf(path: string): string {
  return path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "");
}
