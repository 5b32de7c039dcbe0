import { assert } from "@std/assert";
import { parseStructures } from "../../src/formats/files.ts";
import { System } from "../../src/batch/system.ts";
import { FIXTURES, readExpected } from "./fixtures.ts";

/** Returns numbers from 0 to 1 that depend only on the seed (a linear congruential generator). */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** Returns a damaged copy: bytes changed, a part removed, or a part repeated. */
function damaged(bytes: Uint8Array, next: () => number): Uint8Array {
  const at = Math.floor(next() * bytes.length), kind = Math.floor(next() * 3);
  if (kind === 0) {
    const copy = bytes.slice();
    for (let i = 0; i < 4; i++) copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
    return copy;
  }
  const end = Math.min(bytes.length, at + Math.floor(next() * 40));
  return kind === 1
    ? Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(end)])
    : Uint8Array.from([...bytes.subarray(0, end), ...bytes.subarray(at)]);
}

Deno.test("damaged files of each format are read or refused in words, and never hang", async () => {
  let refused = 0, read = 0;
  for (const [name, frames] of Object.entries(await readExpected())) {
    const bytes = await Deno.readFile(`${FIXTURES}${name}`), next = random(name.length);
    const { symbols, positions } = frames[0]!;
    const options = {
      onWarning: () => {},
      ...(/dcd|xtc/.test(name) && { topology: new System({ symbols, positions }) }),
    };
    for (let i = 0; i < 60; i++) {
      try {
        await parseStructures(name, damaged(bytes, next), options);
        read++;
      } catch (error) {
        const isOwn = error instanceof SyntaxError || error instanceof RangeError;
        assert(isOwn && error.message.startsWith("Cannot "), `${name}: ${(error as Error).stack}`);
        refused++;
      }
    }
  }
  assert(refused > 300 && read > 50, `${refused} refused, ${read} read`);
});
