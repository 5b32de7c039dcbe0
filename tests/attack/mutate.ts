import type { Trial } from "./attack.ts";

/** Bytes at which parsers turn: ends of ranges, signs, brackets, separators. */
const LOADED = [0, 1, 9, 10, 13, 32, 34, 44, 45, 46, 48, 57, 58, 61, 91, 92, 93, 123, 125, 127, 128]
  .concat([192, 239, 254, 255]);

/** Words at which readers turn. */
const WORDS = [
  "NaN",
  "Infinity",
  "-1",
  "0",
  "1e999",
  "9007199254740993",
  "4294967296",
  "null",
  "true",
  '""',
  "[]",
  "{}",
  "__proto__",
  "Properties=",
  "\n\n",
  "😀",
].map((word) => new TextEncoder().encode(word));

/** Returns bytes with one to four changes: flipped, replaced, removed, repeated, inserted, spliced or cut off. */
export function mutate(bytes: Uint8Array, other: Uint8Array, trial: Trial): Uint8Array {
  let now = bytes;
  for (let changes = 1 + trial.below(4); changes > 0; changes--) now = changed(now, other, trial);
  return now;
}

function changed(bytes: Uint8Array, other: Uint8Array, trial: Trial): Uint8Array {
  const at = trial.below(bytes.length + 1), length = 1 + trial.below(24);
  const middle = [
    () => Uint8Array.of((bytes[at] ?? 0) ^ (1 << trial.below(8))),
    () => Uint8Array.of(trial.pick(LOADED)),
    () => new Uint8Array(),
    () => concat(bytes.slice(at, at + length), bytes.slice(at, at + length)),
    () => concat(trial.pick(WORDS), bytes.slice(at, at + 1)),
    () => other.slice(trial.below(other.length)).subarray(0, length),
    () => new Uint8Array(),
  ];
  const kind = trial.below(middle.length + 1);
  if (kind === middle.length) return trial.below(4) === 0 ? bytes.slice(0, at) : bytes;
  const taken = kind === 2 || kind === 3 || kind === 5 ? length : 1;
  return concat(bytes.subarray(0, at), middle[kind]!(), bytes.subarray(at + taken));
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
