// Tasks that write packages replace only folders that they have written.
import { assertEquals, assertRejects } from "@std/assert";
import { buildPackage } from "../../tools/npm/build.ts";
import { emptyPackageFolder } from "../../tools/npm/package_folder.ts";
import { buildPrebuilt } from "../../tools/prebuilt/build.ts";
import { withFolder } from "../checkpoint/folder.ts";

const namesIn = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

Deno.test("a folder with other content is refused, and stays as it is", async () => {
  await withFolder(async (folder) => {
    const config = `{"name": "@hooke/hooke"}`; // a clone of the repository has this name, too
    await Deno.writeTextFile(`${folder}/deno.json`, config);
    for (const build of [buildPrebuilt, buildPackage] as const) {
      const error = await assertRejects(async () => void await build(folder), Error);
      assertEquals(
        error.message,
        `Cannot write the package: ${folder} is not empty and was not written by this task. Choose another folder, or remove it`,
      );
    }
    await assertRejects(
      () => emptyPackageFolder(`${folder}/deno.json`, "npm"),
      Error,
      "is not empty",
    );
    assertEquals(namesIn(folder), ["deno.json"]);
    assertEquals(await Deno.readTextFile(`${folder}/deno.json`), config);
  });
});

Deno.test("a missing or empty folder, and one that the same task has written, is emptied", async () => {
  await withFolder(async (folder) => {
    await emptyPackageFolder(folder, "npm"); // empty
    const made = `${folder}/deep/made`;
    await emptyPackageFolder(made, "npm");
    await Deno.writeTextFile(`${made}/old.js`, "");
    await assertRejects(() => emptyPackageFolder(made, "prebuilt"), Error, "by this task");
    assertEquals(namesIn(made), [".written_by_task", "old.js"]);
    await emptyPackageFolder(made, "npm");
    assertEquals(namesIn(made), [".written_by_task"]);
  });
});
