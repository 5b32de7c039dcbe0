/**
 * Measures Hooke without peers. `alone.ts CASE` runs one case in a separate process, and prints one line of JSON.
 * Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { byCount, bySize } from "./figures.ts";
import { bytesPerStep, type Garbage } from "./garbage.ts";
import { generatedOverHandWritten } from "./generated.ts";
import { manyOverFew } from "./many.ts";
import { type Footprint, type Growth, growth, memoryPerAtom } from "./memory.ts";
import { observersOverNone } from "./observers.ts";
import { rebuildInForceCalls } from "./rebuild.ts";

/** Results by case. */
export interface Alone {
  /** Pairs found anew, in units of one force call. */
  readonly rebuild: number;
  /** Steps with observers over steps without. */
  readonly observers: number;
  /** Steps with a pair potential that is generated over steps with one that is written by hand. */
  readonly generated: number;
  /** Cost per atom and step of 10,000 small systems over that of 64. */
  readonly many: number;
  readonly garbage: Garbage;
  readonly memory: Footprint;
  readonly growth: Growth;
  /** Atoms → CPU ns per atom and step. */
  readonly bySize: Readonly<Record<string, number>>;
  /** Systems of 32 atoms → the same. */
  readonly byCount: Readonly<Record<string, number>>;
}

const CASES: { readonly [k in keyof Alone]: () => Alone[k] | Promise<Alone[k]> } = {
  rebuild: rebuildInForceCalls,
  observers: observersOverNone,
  generated: generatedOverHandWritten,
  many: manyOverFew,
  garbage: bytesPerStep,
  memory: memoryPerAtom,
  growth,
  bySize,
  byCount,
};

/** A case in a process of its own. */
export async function measureAlone<K extends keyof Alone>(name: K): Promise<Alone[K]> {
  const file = fileURLToPath(import.meta.url);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--v8-flags=--expose-gc", file, name],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure "${name}": its process must end well`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

if (import.meta.main) {
  const name = Deno.args[0] as keyof Alone;
  if (!Object.hasOwn(CASES, name)) {
    const known = Object.keys(CASES).join(", ");
    throw new RangeError(`Cannot measure "${name}" as the cases are ${known}`);
  }
  console.log(JSON.stringify(await CASES[name]()));
}
