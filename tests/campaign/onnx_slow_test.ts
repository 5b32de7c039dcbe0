import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { makeItem, openResultStore, readRecipe, runCampaign } from "../../src/campaign/mod.ts";
import { modelFileHash } from "../../src/campaign/mod.ts";
import { hashModel } from "../../src/campaign/run/model_file_hash.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { tempFolder } from "../cli/session.ts";

/** A model that knows argon. */
const ARGON = { cutoff: 8.5, elements: ["Ar"] };

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

Deno.test("the reason of a failure does not depend on the name of the model's file", async () => {
  await using folder = await tempFolder();
  const stray = new System({ symbols: ["He"], positions: [[0, 0, 0]], cell: [20, 20, 20] });
  const records: (Uint8Array | undefined)[] = [];
  for (const name of ["a", "other"]) {
    const onnx = `${folder.path}/${name}.onnx`;
    await Deno.writeFile(onnx, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
    const model = { onnx, sha256: await modelFileHash(onnx), options: ARGON };
    const recipe = await readRecipe({ model, stages: [{ stage: "singlepoint" }] });
    const item = await makeItem(stray, recipe);
    await using store = await openResultStore(`${folder.path}/${name}`);
    await runCampaign(recipe, [item], store);
    assertMatch((await store.get(item.id))?.reason ?? "", /^Cannot use the model: /);
    records.push(await store.bytesOf(item.id));
  }
  assertEquals(records[0], records[1]);
});

Deno.test("of a model with an address, only the file with the hash is used", async () => {
  await using folder = await tempFolder();
  const onnx = `${folder.path}/m.onnx`, asked: string[] = [];
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  await Deno.writeFile(onnx, bytes);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    asked.push(new URL(url).pathname);
    return url.endsWith(".onnx") ? new Response(bytes) : Response.json({ energyUnit: "Ha" });
  });
  const model = {
    onnx: `http://127.0.0.1:${server.addr.port}/m.onnx`,
    sha256: await modelFileHash(onnx),
    options: { cutoff: 8.5 },
  };
  const recipe = await readRecipe({ model, stages: [{ stage: "singlepoint" }] });
  await using store = await openResultStore(`${folder.path}/store`);
  const item = await makeItem(fcc({ element: "Ar", a: 5.3 }), recipe);
  await runCampaign(recipe, [item], store);
  assertEquals([(await store.get(item.id))?.status, asked], ["done", ["/m.onnx"]]);
});

Deno.test("devices are no models, and files that change while a model is opened are noticed", async () => {
  await assertRejects(() => modelFileHash("/dev/zero"), Error, "it is a device or a pipe");
  const path = await Deno.makeTempFile({ suffix: ".onnx" });
  await Deno.writeFile(path, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
  const { hash, hasChanged } = await hashModel(path);
  assertEquals([hash, hasChanged()], [await modelFileHash(path), false]);
  await Deno.writeTextFile(`${path}.json`, "{}"); // a manifest that was not there
  assertEquals(hasChanged(), true);
  const other = await hashModel(path);
  await Deno.utime(path, 1, 1);
  assertEquals([other.hasChanged(), other.hash === hash], [true, false]);
  await Deno.remove(path);
});
