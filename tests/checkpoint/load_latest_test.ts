// The newest checkpoint of a folder in which another run writes and removes them.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { loadLatest, readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { withFolder } from "./folder.ts";

const nameOf = (step: number) => `step-${String(step).padStart(9, "0")}.hooke`;

async function write(folder: string, step: number): Promise<void> {
  await writeCheckpoint(`${folder}/${nameOf(step)}`, { kind: "walk", schema: 1, data: step });
}

/** Loads while another run replaces all checkpoints by the next before each of the first `rotations` reads. */
async function loadedWhileRotating(folder: string, rotations: number, passed: string[] = []) {
  let newest = 2, done = 0;
  for (const step of [1, 2]) await write(folder, step);
  const content = await loadLatest(folder, {
    load: async (path) => {
      if (done++ < rotations) {
        await write(folder, newest + 1);
        await Deno.remove(`${folder}/${nameOf(newest)}`);
        await Deno.remove(`${folder}/${nameOf(newest - 1)}`).catch(() => {});
        newest++;
      }
      return await readCheckpoint(path);
    },
    passedOver: (path) => void passed.push(path),
  });
  return content?.data;
}

Deno.test("a folder is listed again without a warning if another run removes checkpoints", () =>
  withFolder(async (folder) => {
    const passed: string[] = [];
    assertEquals(await loadedWhileRotating(folder, 3, passed), 5);
    assertEquals(passed, []);
  }));

Deno.test("checkpoints that are replaced faster than they are read are an error, not a new start", () =>
  withFolder(async (folder) => {
    const error = await assertRejects(() => loadedWhileRotating(folder, 1e3), Error, "20 attempts");
    assert(error.message.startsWith(`Cannot load a checkpoint from ${folder}: `), error.message);
  }));

Deno.test("a damaged checkpoint or a broken link is reported once, although the folder is listed again", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/${nameOf(99)}`, "half of i");
    await Deno.symlink(`${folder}/nowhere`, `${folder}/${nameOf(98)}`);
    const passed: string[] = [];
    await write(folder, 7);
    let isFirst = true;
    const content = await loadLatest(folder, {
      load: async (path) => {
        if (path.endsWith(nameOf(7)) && isFirst) {
          isFirst = false;
          await write(folder, 8);
          await Deno.remove(path);
        }
        return await readCheckpoint(path);
      },
      passedOver: (path) => void passed.push(path.slice(folder.length + 1)),
    });
    assertEquals([content?.data, passed], [8, [nameOf(99), nameOf(98)]]);
  }));
