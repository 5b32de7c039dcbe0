/** A stream that is killed again and again, and goes on each time. */
import { assert, assertEquals } from "@std/assert";
import { openSink } from "../../src/sinks/mod.ts";
import { bitsOf } from "./atoms.ts";
import { numbers } from "./killed_again.ts";
import { DONE } from "./killed_stream.ts";
import { FIELDS } from "./streams.ts";

const SCRIPT = new URL("killed_stream.ts", import.meta.url).href;

/** Time at which a stream is killed: some ms after it prints this step, or a later one. */
interface Kill {
  readonly at: number;
  readonly wait: number;
}

/** Throws unless a stream that is killed several times ends with the file of an uninterrupted one. */
export async function killStream(ending: string, kills: number, seed: number): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    const [whole, killed] = [`${parent}/whole`, `${parent}/killed`];
    for (const folder of [whole, killed]) await Deno.mkdir(folder);
    const count = 40 * (kills + 1);
    const { step: steps } = await run({ folder: whole, ending, count });
    const random = numbers(seed);
    for (let kill = 0; kill < kills; kill++) {
      // Most in the middle of the run, some as it opens its file.
      const at = kill % 5 === 4 ? -1 : Math.floor((kill + random()) * steps / (kills + 2));
      const { text, isKilled } = await run({
        folder: killed,
        ending,
        count,
        kill: { at, wait: random() * 5 },
      });
      assert(isKilled, `kill ${kill} came too late`);
      assert(!text.includes("warning"), text);
    }
    const { text } = await run({ folder: killed, ending, count });
    assert(text.endsWith(`${DONE}\n`) && !text.includes("warning"), text);
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

/** Runs it, up to a kill if there is to be one. Returns its output, the last step that it printed, and how it ended. */
async function run({ folder, ending, count, kill }: {
  readonly folder: string;
  readonly ending: string;
  readonly count: number;
  readonly kill?: Kill;
}): Promise<{ text: string; step: number; isKilled: boolean }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, folder, ending, String(count)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "", timer: ReturnType<typeof setTimeout> | undefined;
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (kill === undefined || !text.startsWith("open") || stepOf(text) < kill.at) continue;
    timer ??= setTimeout(() => child.kill("SIGKILL"), kill.wait);
  }
  if (timer !== undefined) clearTimeout(timer);
  const { signal, success } = await child.status;
  assert(success || signal === "SIGKILL", "the stream must go on, or be killed");
  return { text, step: stepOf(text), isKilled: signal === "SIGKILL" };
}

/** The step in the last complete line that has one; -1 before the first. */
function stepOf(text: string): number {
  const lines = text.slice(-200).split("\n").slice(0, -1);
  return Number(lines.findLast((line) => /^step \d+$/.test(line))?.slice(5) ?? -1);
}
