import { assert, assertEquals } from "@std/assert";
import { parseRunLog } from "../../src/config/runs/mod.ts";

Deno.test("a killed process leaves every change up to the kill in its log, to which the next run appends", async () => {
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  try {
    for (let kills = 1; kills <= 5; kills++) {
      await killInMidRun(path, kills);
      // The reader ignores a partial line that the kill has left, and the next run removes it.
      const text = await Deno.readTextFile(path);
      const runs = Map.groupBy(parseRunLog(text), ({ id }) => id);
      assertEquals(runs.size, kills);
      for (const [start, ...changes] of runs.values()) {
        assertEquals(start!.type, "start");
        assertEquals(
          changes.map(({ type, step }) => [type, step]),
          changes.map((_, i) => ["change", i]),
        );
        assert(changes.length >= 50, `only ${changes.length} changes`);
      }
    }
  } finally {
    await Deno.remove(path);
  }
});

/** Starts a run, and kills it when it has written for a while. */
async function killInMidRun(path: string, salt: number): Promise<void> {
  const { size } = await Deno.stat(path);
  const script = new URL("endless_run.ts", import.meta.url);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path],
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && (await Deno.stat(path)).size < size + 60_000) {
    await new Promise((done) => setTimeout(done, 1));
  }
  await new Promise((done) => setTimeout(done, salt * 1.7));
  assert(!isOver, "the run ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
}
