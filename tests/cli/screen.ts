/**
 * The screen of a terminal, as a user sees it.
 *
 * @module
 */

/**
 * Returns the lines of a terminal after it has received a text with carriage returns and the code that clears the rest
 * of a line. Lines are not wrapped.
 */
export function linesOnScreen(text: string): string[] {
  const lines: string[] = [];
  let line: string[] = [], at = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\n") {
      lines.push(line.join(""));
      [line, at] = [[], 0];
    } else if (char === "\r") {
      at = 0;
    } else if (text.startsWith("\x1b[K", i)) {
      line.length = Math.min(line.length, at);
      i += 2;
    } else {
      while (line.length < at) line.push(" ");
      line[at++] = char;
    }
  }
  return [...lines, line.join("")];
}
