/** A run in a folder that is killed again and again, and resumes each time. */
import { assert, assertEquals } from "@std/assert";
import { readRun } from "../../src/config/runs/mod.ts";
import { JsonlSink } from "../../src/sinks/mod.ts";
import { FRAMES, STEPS } from "./resumed_run.ts";

/** Runs the program, and kills it after some ms unless it ended before. Returns its output. */
async function run(path: string, killAfter?: number): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("resumed_run.ts", import.meta.url).href, path],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (killAfter === undefined || !text.startsWith("open")) continue;
    const wait = killAfter;
    killAfter = undefined;
    setTimeout(() => {
      try {
        child.kill("SIGKILL");
      } catch {
        // it ended before
      }
    }, wait);
  }
  await child.status;
  return text;
}

/**
 * Throws unless a run that is killed several times ends with the same bits, and with each frame once.
 *
 * @returns the number of kills
 */
export async function killRunFolder(most: number): Promise<number> {
  const parent = await Deno.makeTempDir();
  const whole = (await run(`${parent}/whole`)).split("done ")[1];
  let text = "", kills = 0;
  while (kills < most && !text.includes("done")) {
    text = await run(`${parent}/killed`, 10 + (kills * 0.618 % 1) * 120);
    kills++;
  }
  if (!text.includes("done")) text = await run(`${parent}/killed`);
  assertEquals(text.split("done ")[1], whole);
  const frames = new JsonlSink(`${parent}/killed/trajectory.jsonl`);
  await frames.open();
  const want = Array.from({ length: STEPS / FRAMES }, (_, i) => i * FRAMES);
  const all = await frames.read();
  assertEquals([...all.get("step")], want.flatMap((step) => [step, step]));
  assertEquals([...all.get("sourceId")], want.flatMap(() => [0, 1]));
  const { records, history } = await readRun(`${parent}/killed`);
  assertEquals(records.at(-1)?.type, "end");
  const ids = new Set(records.map(({ id }) => id)),
    segments = records.map(({ segment }) => segment);
  assertEquals([ids.size, segments.every((one, i) => i === 0 || one >= segments[i - 1]!)], [
    1,
    true,
  ]);
  const { steps } = history.series("energy");
  assertEquals([steps[0], steps.at(-1)], [0, STEPS - 1]);
  assert(steps.every((step, i) => i === 0 || step > steps[i - 1]!));
  await Deno.remove(parent, { recursive: true });
  return kills;
}
