// A process that is killed while it writes for TensorBoard.
import { assert, assertEquals } from "@std/assert";
import { parseTensorBoard } from "../../src/sinks/mod.ts";

const KILLS = 20;

/** Lets a process write for a while, then kills it. Returns the last flushed step. */
async function killInMidRun(folder: string, salt: number): Promise<number> {
  const script = new URL("tensorboard_endless.ts", import.meta.url).href;
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, folder],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let isTimed = false, last = -1;
  for await (const chunk of run.stdout) {
    const lines = new TextDecoder().decode(chunk).trim().split("\n");
    last = Math.max(last, ...lines.map(Number));
    if (isTimed) continue;
    isTimed = true;
    setTimeout(() => run.kill("SIGKILL"), (salt * 0.618 % 1) * 30);
  }
  assertEquals((await run.status).signal, "SIGKILL");
  return last;
}

Deno.test(`killed at ${KILLS} moments: every flushed step is read once, and other steps are complete or absent`, async () => {
  const folder = await Deno.makeTempDir();
  let unflushed = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const flushed = await killInMidRun(folder, kill);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(names.length, kill);
    const events = parseTensorBoard(await Deno.readFile(`${folder}/${names.at(-1)}`));
    assert(events.length > flushed, `${flushed} was flushed, ${events.length} are there`);
    for (const [step, event] of events.entries()) {
      assertEquals([event.step, event.scalars], [step, { "loss/total": step / 2, lr: 0.5 }]);
    }
    unflushed += events.length - 1 - flushed;
  }
  assert(unflushed > 0, "no kill fell between two flushes");
  await Deno.remove(folder, { recursive: true });
});
