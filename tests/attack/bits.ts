/**
 * Bits that flip in files on a disk.
 *
 * @module
 */

import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import { openSink, verifySink } from "../../src/sinks/mod.ts";
import { bitsOf } from "../dynamics/atoms.ts";
import type { Attack, Trial } from "./attack.ts";

const FRAMES = 6;
const FIELDS = ["positions", "velocities", "energy"] as const;

/** Writes a sink's file, and returns its path. */
async function write(folder: string, ending: string): Promise<string> {
  const path = `${folder}/frames.${ending}`, sink = await openSink(path);
  for (let i = 0; i < FRAMES; i++) {
    const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, i)]);
    initVelocities(batch, 40, { seed: i });
    batch.set("energy", [-i / 7]);
    await sink.write(batch);
  }
  await sink.close();
  return path;
}

/** The files of a sink, with their sizes. */
function filesOf(path: string): { file: string; size: number }[] {
  const { isDirectory, size } = Deno.statSync(path);
  if (!isDirectory) return [{ file: path, size }];
  return Array.from(Deno.readDirSync(path)).flatMap(({ name }) => filesOf(`${path}/${name}`))
    .sort((a, b) => a.file < b.file ? -1 : 1);
}

/** Flips a bit of a file, anywhere in the sink; returns a function that flips it back. */
async function flip(path: string, trial: Trial): Promise<() => Promise<void>> {
  const files = filesOf(path);
  let at = trial.below(files.reduce((sum, { size }) => sum + size, 0));
  const { file } = files.find(({ size }) => (at -= size) < 0)!;
  const bytes = await Deno.readFile(file);
  const damaged = bytes.slice();
  damaged[damaged.length + at]! ^= 1 << trial.below(8);
  await Deno.writeFile(file, damaged);
  return () => Deno.writeFile(file, bytes);
}

async function bitsIn(path: string): Promise<string> {
  const sink = await openSink(path);
  try {
    return JSON.stringify(bitsOf(await sink.read(), undefined, FIELDS));
  } finally {
    await sink.close();
  }
}

/** Returns whether damage is found: reported by `verifySink`, or refused by it or by the reader. */
async function isFound(path: string, whole: string): Promise<"detected" | "no data changed"> {
  try {
    const { damage, systems } = await verifySink(path);
    if (damage.length > 0 || systems !== FRAMES) return "detected";
    if (await bitsIn(path) === whole) return "no data changed";
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return "detected";
    throw error;
  }
  throw new Error("other data are read, and verifySink says nothing");
}

function attackOn(ending: string): Attack {
  return {
    name: `bits of .${ending}`,
    aim: `flips one bit of a .${ending} file; verifySink must find it, unless it changes no data`,
    cases: 200,
    async run(trial) {
      const folder = await Deno.makeTempDir();
      const path = await write(folder, ending), whole = await bitsIn(path);
      while (trial.tried < trial.cases) {
        const restore = await flip(path, trial);
        try {
          trial.count(await isFound(path, whole));
        } catch (error) {
          trial.fail(error instanceof Error ? error.stack! : String(error));
        }
        await restore();
      }
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Each format that keeps systems. A table of numbers has no place for check sums. */
export const BIT_ATTACKS: readonly Attack[] = ["xyz", "jsonl", "db", "zarr"].map(attackOn);
