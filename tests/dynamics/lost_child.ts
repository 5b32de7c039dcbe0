/**
 * Prints the growth of the memory of WebAssembly, in bytes, while engines are opened that are never closed. Needs
 * --expose-gc.
 */
import { loadModule } from "../../src/backend/wasm/module.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { ARGON, crystals } from "./atoms.ts";

const { gc } = globalThis as unknown as { gc(): void };
const { memory } = loadModule();

/** Runs engines and loses them; what they had is given back in a turn of its own. */
async function lose(count: number): Promise<void> {
  const batch = crystals(8);
  for (let i = 0; i < count; i++) {
    await new NVE({ model: ARGON, dt: 1, device: "wasm" }).run(batch, 2);
    if (i % 10 !== 9) continue;
    gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

if (import.meta.main) {
  await lose(50);
  const before = memory.buffer.byteLength;
  await lose(200);
  console.log(memory.buffer.byteLength - before);
}
