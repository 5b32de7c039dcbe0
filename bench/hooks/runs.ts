/**
 * Runs cases in processes of their own: inline caches are shared inside an isolate, and would make what is
 * measured later look slower than it is.
 *
 * @module
 */

import type { BenchResult } from "../row.ts";

const RUNS = 5;

/** Measures each of the named cases five times, in turn, and makes one value of each round. */
export async function ratioOf(
  names: readonly string[],
  value: (...ratios: number[]) => number,
): Promise<BenchResult> {
  const runs: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const ratios: number[] = [];
    for (const name of names) ratios.push(await ratio(name));
    runs.push(value(...ratios));
  }
  return { value: median(runs), runs };
}

/** The case over its own floor, once. */
export async function ratio(name: string): Promise<number> {
  return (await child(name, [])).ratio!;
}

/** Bytes per event of a case. Once is enough: it is a count. */
export async function bytes(name: string): Promise<number> {
  return (await child(name, ["--bytes"])).bytes!;
}

/** The middle one, or the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

interface Output {
  readonly ratio?: number;
  readonly bytes?: number;
}

async function child(name: string, flags: readonly string[]): Promise<Output> {
  const script = new URL("./case.ts", import.meta.url);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--v8-flags=--expose-gc", script.href, name, ...flags],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure "${name}": its process must end well`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
