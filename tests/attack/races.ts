/**
 * The same run, started twice at once.
 *
 * @module
 */

import { openSink } from "../../src/sinks/mod.ts";
import { assertSame } from "../dynamics/killed_again.ts";
import { DONE, type Ending } from "../dynamics/killed_run.ts";
import type { Attack, Trial } from "./attack.ts";

const SCRIPT = new URL("../dynamics/killed_run.ts", import.meta.url).href;
const ENDINGS: readonly Ending[] = ["xyz", "zarr", "jsonl", "db"];
const STEPS = 1200;

/** Largest delay of the second process, in milliseconds. */
const LATER = 400;

interface End {
  readonly code: number;
  readonly output: string;
  readonly error: string;
}

async function run(folder: string, ending: Ending, wait = 0): Promise<End> {
  await new Promise((resolve) => setTimeout(resolve, wait));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, folder, ending, String(STEPS)],
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: decode(stdout), error: decode(stderr) };
}

/** One race: each run is done or refused, and the files are those of a run that was alone. */
async function race(trial: Trial, ending: Ending, whole: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const wait = trial.random() * LATER;
    const ends = await Promise.all([run(folder, ending), run(folder, ending, wait)]);
    const done = ends.filter(({ output }) => output.includes(DONE));
    if (done.length === 0) throw new Error(`neither was done: ${ends.map(({ error }) => error)}`);
    for (const { code, output, error } of ends) {
      if (output.includes("warning")) throw new Error(output);
      if (code !== 0 && !/another run|process \d+/.test(error)) throw new Error(error);
    }
    const last = new Set(done.map(({ output }) => output.split(DONE)[1]));
    if (last.size !== 1) throw new Error("two runs that were done have other bits");
    await (await openSink(`${folder}/frames.${ending}`)).close(); // no lock is left
    await assertSame(whole, folder, ending, STEPS);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Two processes of one run. */
export const RACE_ATTACK: Attack = {
  name: "races",
  aim:
    "starts one run in two processes; one must be refused or continue after the other, and the files must be those of one run",
  cases: 100,
  async run(trial) {
    const wholes = new Map<Ending, string>();
    for (let i = 0; trial.tried < trial.cases; i++) {
      const ending = ENDINGS[i % ENDINGS.length]!;
      let whole = wholes.get(ending);
      if (whole === undefined) {
        wholes.set(ending, whole = await Deno.makeTempDir());
        await run(whole, ending);
      }
      await trial.attempt(
        `race ${i} over .${ending}`,
        "no damage",
        () => race(trial, ending, whole),
      );
    }
    for (const folder of wholes.values()) await Deno.remove(folder, { recursive: true });
  },
};
