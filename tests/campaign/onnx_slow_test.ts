import { assertEquals, assertRejects } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { makeItem, openResultStore, readRecipe, runCampaign } from "../../src/campaign/mod.ts";
import { modelFileHash } from "../../src/campaign/mod.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { tempFolder } from "../cli/session.ts";

Deno.test("a campaign with an ONNX model has the same bytes in any order, and only with the file of its hash", async () => {
  await using folder = await tempFolder();
  const onnx = `${folder.path}/m.onnx`;
  await Deno.writeFile(onnx, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  const recipe = await readRecipe({
    model: { onnx, sha256: await modelFileHash(onnx), options: { cutoff: 8.5 } },
    stages: [{ stage: "relax", steps: 5 }, { stage: "singlepoint" }],
    outputs: ["forces"],
  });
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 1 });
  const items = await Promise.all(
    [1, 2, 3].map((seed) => makeItem(rattle(crystal, 0.1, seed), recipe)),
  );
  await using store = await openResultStore(`${folder.path}/a`);
  await using other = await openResultStore(`${folder.path}/b`);
  assertEquals((await runCampaign(recipe, items, store)).computed, 3);
  for (const item of items.toReversed()) await runCampaign(recipe, [item], other);
  for (const { id } of items) {
    const { reason, status } = (await store.get(id))!;
    assertEquals([reason, status === "failed"], [undefined, false]);
    assertEquals(await other.bytesOf(id), await store.bytesOf(id));
  }
  const manifest = `${folder.path}/other.json`;
  await Deno.writeTextFile(manifest, '{ "cutoff": 8.5 }');
  const sha256 = await modelFileHash(onnx, manifest);
  const model = { onnx, sha256, options: { manifest } };
  const other8 = await readRecipe({ model, stages: [{ stage: "singlepoint" }] });
  assertEquals((await runCampaign(other8, [], other)).isDone, true);
  await Deno.writeTextFile(manifest, '{ "cutoff": 7 }');
  await assertRejects(() => runCampaign(other8, [], other), Error, "its SHA-256 must be");
  await Deno.writeFile(onnx, lennardJonesModel({ epsilon: 0.0105, sigma: 3.4, cutoff: 8.5 }));
  await assertRejects(() => runCampaign(recipe, items, other), Error, "its SHA-256 must be");
});
