import { assert } from "@std/assert";
import { withFolder } from "../checkpoint/folder.ts";
import { damaged, makeStore, metadataOf, outcomeOf, randomOf } from "./zarr_fuzz.ts";

Deno.test("300 stores with wrong metadata are refused or read, and added to or left alone", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, random = randomOf(9);
    await makeStore(path);
    const files = metadataOf(path);
    let refused = 0;
    for (let run = 0; run < 300; run++) {
      const copy = `${folder}/copy.zarr`;
      await new Deno.Command("cp", { args: ["-r", path, copy] }).output();
      const file = files[Math.floor(random() * files.length)]!.replace(path, copy);
      const wrong = damaged(await Deno.readTextFile(file), random);
      await Deno.writeTextFile(file, wrong);
      const outcome = await outcomeOf(copy);
      if (outcome !== undefined) refused++;
      const isTold = !(outcome instanceof Error) || outcome instanceof SyntaxError ||
        outcome instanceof RangeError &&
          /its version must be|at least one of its|it is empty/.test(outcome.message);
      assert(isTold, `${file} ${wrong} gave ${(outcome as Error)?.stack}`);
      await Deno.remove(copy, { recursive: true });
    }
    assert(refused > 150, `only ${refused} of 300 were refused`);
  });
});
