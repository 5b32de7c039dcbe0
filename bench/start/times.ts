/**
 * Times that programs take from start to end.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** Root of the project. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Arguments of Deno that run each program. */
type Programs<K extends string> = Readonly<Record<K, readonly string[]>>;

/**
 * Runs programs in turn, and returns the wall time of each run in milliseconds. The first two rounds do not count: they
 * fill the caches of Deno and of the file system.
 *
 * @throws {Error} if a program fails
 */
export async function startTimes<K extends string>(
  programs: Programs<K>,
  rounds: number,
): Promise<Record<K, number[]>> {
  const names = Object.keys(programs) as K[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    K,
    number[]
  >;
  for (let round = -2; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round + 2) % names.length]!;
      const took = await timeOf(programs[name]);
      if (round >= 0) times[name].push(took);
    }
  }
  return times;
}

async function timeOf(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    stdout: "null",
  }).output();
  const took = performance.now() - began;
  if (!success) throw new Error(`${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  return took;
}
