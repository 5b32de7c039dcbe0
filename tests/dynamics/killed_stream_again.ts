/** A stream that is killed again and again, and goes on each time. */
import { assert, assertEquals } from "@std/assert";
import { openSink } from "../../src/sinks/mod.ts";
import { bitsOf } from "./atoms.ts";
import { DONE } from "./killed_stream.ts";
import { FIELDS } from "./streams.ts";

const SCRIPT = new URL("killed_stream.ts", import.meta.url).href;

/** Throws unless a stream that is killed several times ends with the file of an uninterrupted one. */
export async function killStream(ending: string, kills: number, seed: number): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    const [whole, killed] = [`${parent}/whole`, `${parent}/killed`];
    for (const folder of [whole, killed]) await Deno.mkdir(folder);
    const count = 40 * (kills + 1);
    const { ms } = await run({ folder: whole, ending, count });
    let state = seed, text = "", times = 0;
    while (!text.endsWith(`${DONE}\n`)) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      // So that about as many runs as there are to be kills get through it together.
      const wait = times < kills ? 2 * ms / kills * state / 2 ** 32 : undefined;
      ({ text } = await run({
        folder: killed,
        ending,
        count,
        ...(wait !== undefined && { wait }),
      }));
      assert(!text.includes("warning"), text);
      times++;
    }
    assert(times > kills / 2, `it was over after ${times} runs`);
    const [want, got] = await Promise.all([whole, killed].map(async (folder) => {
      const sink = await openSink(`${folder}/relaxed.${ending}`);
      const all = await sink.read();
      await sink.close();
      return all;
    }));
    assertEquals(got!.size, count);
    assertEquals([...got!.get("sourceId")], [...want!.get("sourceId")]);
    assertEquals([...got!.get("step")], [...want!.get("step")]);
    assertEquals(bitsOf(got!, undefined, FIELDS), bitsOf(want!, undefined, FIELDS));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Runs it, and kills it some ms after it has opened its file. Returns its output and its duration. */
async function run({ folder, ending, count, wait }: {
  readonly folder: string;
  readonly ending: string;
  readonly count: number;
  readonly wait?: number;
}): Promise<{ text: string; ms: number }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, folder, ending, String(count)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "", begun = 0, timer: ReturnType<typeof setTimeout> | undefined;
  for await (const chunk of child.stdout) {
    if (begun === 0) begun = performance.now();
    text += new TextDecoder().decode(chunk);
    if (wait !== undefined) timer ??= setTimeout(() => child.kill("SIGKILL"), wait);
  }
  if (timer !== undefined) clearTimeout(timer);
  const { signal, success } = await child.status;
  assert(success || signal === "SIGKILL", "the stream must go on, or be killed");
  return { text, ms: performance.now() - begun };
}
