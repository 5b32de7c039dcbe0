/** A run that is killed again and again, and goes on each time. */
import { assert, assertEquals } from "@std/assert";
import { openSink } from "../../src/sinks/mod.ts";
import { bitsOf } from "./atoms.ts";
import { DONE, type Ending, FRAMES } from "./killed_run.ts";

const SCRIPT = new URL("killed_run.ts", import.meta.url).href;
const FIELDS = ["positions", "velocities", "forces", "energy"] as const;

/** Time at which a run is killed: some ms after it prints a line with this beginning, or a later step. */
interface Kill {
  readonly at: number;
  readonly wait: number;
}

/**
 * Throws unless a run that is killed several times ends like an uninterrupted one, with each frame and row once.
 */
export async function killAgain(ending: Ending, { kills, steps, seed }: {
  readonly kills: number;
  readonly steps: number;
  readonly seed: number;
}): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    const [whole, killed] = [`${parent}/whole`, `${parent}/killed`];
    for (const folder of [whole, killed]) await Deno.mkdir(folder);
    const want = await run([whole, ending, String(steps)]);
    const random = numbers(seed);
    for (let kill = 0; kill < kills; kill++) {
      // Most in the middle of the run, some as it opens its files.
      const at = kill % 5 === 4 ? -1 : Math.floor((kill + random()) * steps / (kills + 2));
      const first = { at: 0, wait: 0 }; // before there is any checkpoint but that of the beginning
      const later = { at, wait: random() * 8 };
      const text = await run([killed, ending, String(steps)], kill === 0 ? first : later);
      assert(!text.includes(DONE), `kill ${kill} came too late`);
      assert(!text.includes("warning"), text);
    }
    const got = await run([killed, ending, String(steps)]);
    assertEquals(got.split(DONE)[1], want.split(DONE)[1]);
    await assertSame(whole, killed, ending, steps);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Throws unless two folders hold the same frames, logs and numbers of checkpoints. */
export async function assertSame(
  whole: string,
  killed: string,
  ending: Ending,
  steps: number,
): Promise<void> {
  const read = async (folder: string) => {
    const sink = await openSink(`${folder}/frames.${ending}`);
    const all = await sink.read();
    await sink.close();
    return all;
  };
  const [want, got] = [await read(whole), await read(killed)];
  const frames = Array.from({ length: Math.ceil(steps / FRAMES) }, (_, i) => i * FRAMES);
  assertEquals([...got.get("step")], frames.flatMap((step) => [step, step]));
  assertEquals([...got.get("sourceId")], frames.flatMap(() => [0, 1]));
  assertEquals(bitsOf(got, undefined, FIELDS), bitsOf(want, undefined, FIELDS));
  const log = (folder: string) => Deno.readTextFile(`${folder}/log.csv`);
  assertEquals(await log(killed), await log(whole));
  const left = Array.from(Deno.readDirSync(killed), ({ name }) => name).filter((name) =>
    name.includes("hooke")
  );
  assertEquals(left.length, 2, left.join()); // the newest two, and nothing that a kill has left
}

/** Runs it, up to a kill if there is to be one. Answers with what it has printed. */
async function run(args: readonly string[], kill?: Kill): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "", isKilled = false;
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (kill === undefined || isKilled) continue;
    const step = Number(/step (\d+)\n(?:[^s]*)$/.exec(text)?.[1] ?? -1);
    if (!text.startsWith("open") || step < kill.at) continue;
    isKilled = true;
    setTimeout(() => child.kill("SIGKILL"), kill.wait);
  }
  const { signal } = await child.status;
  assertEquals(signal, kill === undefined ? null : "SIGKILL", text.slice(-300));
  return text;
}

/** Numbers from 0 to 1 that are the same each time. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
