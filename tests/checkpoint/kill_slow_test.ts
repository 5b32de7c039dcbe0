import { assert, assertEquals } from "@std/assert";
import { readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { contentAt } from "./endless_writer.ts";
import { namesIn, withFolder } from "./folder.ts";
import { killInMidRun } from "./killed.ts";

const KILLS = 60;
const SCRIPT = new URL("endless_writer.ts", import.meta.url);

Deno.test(`a process killed ${KILLS} times while it writes always leaves an intact checkpoint`, async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`;
    await writeCheckpoint(path, contentAt(0));
    let last = 0, inMidWrite = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      await killInMidRun(SCRIPT, path, kill);
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
