import { assert, assertEquals } from "@std/assert";
import { CsvSink, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { frameAt } from "./endless.ts";
import { FILES } from "./formats.ts";

const KILLS = 20;

for (const ending of FILES) {
  Deno.test(`a process killed ${KILLS} times while it writes .${ending} keeps all flushed systems`, async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      let [before, between] = [0, 0];
      for (let kill = 1; kill <= KILLS; kill++) {
        const flushed = await killInMidRun(path, kill);
        assert(flushed > before, `after ${before} systems there were ${flushed}`);
        const reopened = await openSink(path); // removes an incomplete record
        await reopened.close();
        const length = await check(path, reopened.length, before);
        assert(length >= flushed, `of ${flushed} systems that were safe ${length} are there`);
        if (length > flushed) between++;
        before = length;
      }
      // A database has only flushed frames; other files may contain further, complete frames.
      if (ending !== "db") assert(between > 0, "no kill fell between two flushes");
    });
  });
}

/**
 * Lets a process write for a while, then kills it. Returns the number of systems that it reported as flushed.
 */
async function killInMidRun(path: string, salt: number): Promise<number> {
  const script = new URL("endless.ts", import.meta.url);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let told = "";
  const telling = (async () => {
    for await (const text of run.stdout.pipeThrough(new TextDecoderStream())) told += text;
  })();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && told === "") await pause(1);
  await pause((salt * 0.618 % 1) * 30);
  assert(!isOver, "the process ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
  await telling;
  return Number(told.trimEnd().split("\n").at(-1)); // lines are complete
}

/** Checks that every new frame occurs once, in order, and unchanged. */
async function check(path: string, length: number, from: number): Promise<number> {
  if (path.endsWith(".csv")) return await checkTable(path);
  const sink = await openSink(path);
  const all = await sink.slice({ from });
  assertEquals(from + all.size, length);
  for (const [i, system] of all.systems().entries()) {
    const expected = frameAt(from + i);
    for (const name of ["numbers", "positions", "energy", "step", "time"]) {
      assertEquals(system.get(name), expected.get(name), `${name} of ${from + i}`);
    }
  }
  const old = await sink.slice({ to: length, steps: [0, from] });
  assertEquals([...old.get("step")], Array.from({ length: old.size }, (_, i) => i));
  await sink.close();
  return length;
}

async function checkTable(path: string): Promise<number> {
  const table = await new CsvSink(path).table();
  const step = [...table.get("step")!];
  assertEquals(step, step.map((_, i) => i));
  assertEquals([...table.get("energy")!], step.map((i) => -i));
  return step.length;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
