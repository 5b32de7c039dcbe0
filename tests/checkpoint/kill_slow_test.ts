import { assert, assertEquals } from "@std/assert";
import { readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { contentAt } from "./endless_writer.ts";
import { namesIn, withFolder } from "./folder.ts";

const KILLS = 60;

Deno.test(`a process killed ${KILLS} times while it writes leaves a whole checkpoint every time`, async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`;
    await writeCheckpoint(path, contentAt(0));
    let last = 0, inMidWrite = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      await killInMidRun(path, kill);
      const content = await readCheckpoint(path, { kind: "test/kill", schema: 1 });
      const { step } = content.data as { step: number };
      assertEquals(content, contentAt(step));
      assert(step > last, `kill ${kill} brought back step ${step} after step ${last}`);
      last = step;
      const left = namesIn(folder).filter((name) => name !== "run.hooke");
      assert(left.length <= 1, `one kill left ${left}`);
      for (const name of left) {
        assert(/^run\.hooke\.[-0-9a-f]{36}\.tmp$/.test(name), name);
        await Deno.remove(`${folder}/${name}`);
      }
      inMidWrite += left.length;
    }
    assert(inMidWrite >= KILLS / 10, `only ${inMidWrite} of ${KILLS} kills fell into a write`);
  });
});

/** Lets a process write a while, then kills it. */
async function killInMidRun(path: string, salt: number): Promise<void> {
  const script = new URL("endless_writer.ts", import.meta.url);
  const before = await stampOf(path);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path],
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && await stampOf(path) === before) await pause(1); // until it has written once
  await pause((salt * 0.618 % 1) * 20);
  assert(!isOver, "the process ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
}

/** What changes with every write, be it a new file or not. */
async function stampOf(path: string): Promise<string> {
  const { ino, mtime } = await Deno.stat(path);
  return `${ino} ${mtime?.getTime()}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
