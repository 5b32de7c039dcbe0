import { assertEquals } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import {
  addItems,
  createCampaign,
  makeItem,
  openResultStore,
  readRecipe,
  runCampaign,
} from "../../src/campaign/mod.ts";
import { tempFolder } from "../cli/session.ts";

const KILLS = 20;

Deno.test("a campaign whose process is killed 20 times has each result once, with the same bytes", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/c`;
  const recipe = await readRecipe({
    model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
    stages: [
      { stage: "relax", optimizer: "fire", fmax: 0.001, steps: 300 },
      { stage: "md", steps: 60, temperature: 30 },
    ],
  });
  const crystal = fcc({ element: "Ar", a: 5.3, cells: 2 });
  const items = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => ({
      ...await makeItem(rattle(crystal, 0.1, i), recipe),
      source: String(i),
    })),
  );
  await using whole = await openResultStore(`${folder.path}/whole`);
  await runCampaign(recipe, items, whole);
  await createCampaign(path, recipe);
  await addItems(path, items);
  const script = new URL("./kill_writer.ts", import.meta.url).href;
  let kills = 0;
  for (let isDone = false; !isDone;) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, path, `${path}/work/one.hooke`],
      stdout: "piped",
    }).spawn();
    let out = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      out += part;
      // A kill after the first results, at another place each time.
      if (kills >= KILLS || out.split("result").length - 1 < 1 + kills % 4) continue;
      kills++;
      child.kill("SIGKILL");
      break;
    }
    await child.status;
    isDone = out.endsWith("end\n");
  }
  assertEquals(kills, KILLS);
  const store = await openResultStore(path);
  assertEquals([store.faults, store.damage], [[], []]);
  assertEquals(store.all().map(({ id }) => id), items.map(({ id }) => id).sort());
  for (const { id } of items) {
    assertEquals(await store.bytesOf(id), await whole.bytesOf(id));
  }
});
