/** Number of letters that stand for 6 bits. The other 56 of the 92 letters stand for 7 bits. */
const SHORT = 36;

/**
 * Returns bytes as text of 92 letters: those from `!` to `|`, with `}` for the quotation mark and `~` for the backslash.
 * Bits are taken from the lowest on. Six bits below 36 are the number of a letter; others select a pair of letters, and
 * a seventh bit selects one of the pair. The text ends with bits of 0.
 */
export function encodeText(bytes: Uint8Array): string {
  const count = bytes.length * 8, codes: number[] = [];
  const bit = (at: number) => at < count ? bytes[at >> 3]! >> (at & 7) & 1 : 0;
  for (let at = 0; at < count;) {
    let value = 0;
    for (let i = 0; i < 6; i++) value |= bit(at + i) << i;
    const isShort = value < SHORT;
    codes.push(isShort ? value : SHORT + 2 * (value - SHORT) + bit(at + 6));
    at += isShort ? 6 : 7;
  }
  return codes.map(letterOf).join("");
}

function letterOf(code: number): string {
  const letter = String.fromCharCode(33 + code);
  return letter === '"' ? "}" : letter === "\\" ? "~" : letter;
}
