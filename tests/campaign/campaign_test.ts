import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import {
  isItem,
  makeItem,
  openResultStore,
  readRecipe,
  type ResultStore,
  runCampaign,
  structureOf,
  structureText,
} from "../../src/campaign/mod.ts";
import { sha256Hex } from "../../src/campaign/item/sha256.ts";
import { hashModule } from "../../src/campaign/run/module_hash.ts";
import { isAddress } from "../../src/campaign/recipe/references.ts";

const MODEL = {
  pair: "lennardJones",
  options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 },
} as const;

/** Relaxes, runs dynamics with noise, and relaxes again. */
const RECIPE = {
  model: MODEL,
  stages: [
    { stage: "relax", optimizer: "fire", fmax: 0.05, steps: 40 },
    { stage: "md", steps: 12, temperature: 40, options: { dt: 4, friction: 0.02 } },
    { stage: "relax", fmax: 0.05, steps: 60 },
  ],
  outputs: ["forces"],
} as const;

function crystals(count: number): System[] {
  const [small, large] = [1, 2].map((cells) => fcc({ element: "Ar", a: 5.3, cells }));
  return Array.from({ length: count }, (_, i) => rattle(i % 3 === 0 ? large! : small!, 0.15, i));
}

/** Two atoms at the same place, whose forces are not finite. */
const BROKEN = new System({
  symbols: ["Ar", "Ar"],
  positions: [[0, 0, 0], [0, 0, 0]],
  cell: [20, 20, 20],
});

async function contents(store: ResultStore): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const { id } of store.all()) {
    all[id] = new TextDecoder().decode(await store.bytesOf(id));
  }
  return all;
}

Deno.test("results have the same bytes in any batch, in any order, and after restarts", async () => {
  const folder = await Deno.makeTempDir();
  const recipe = await readRecipe(RECIPE);
  const items = await Promise.all(
    [...crystals(7), BROKEN].map((system, i) => makeItem(system, recipe, i % 2)),
  );
  await using whole = await openResultStore(`${folder}/whole`);
  const summary = await runCampaign(recipe, items, whole);
  assertEquals(summary, { computed: 8, skipped: 0, isDone: true });
  const expected = await contents(whole);
  assertEquals(Object.keys(expected).length, 8);
  const statuses = whole.all().map(({ status }) => status);
  assertEquals(statuses.filter((status) => status === "failed").length, 1);

  await using parts = await openResultStore(`${folder}/parts`);
  await runCampaign(recipe, items.slice(5).reverse(), parts, { batchAtoms: 40 });
  for (const item of items.slice(1, 4)) await runCampaign(recipe, [item], parts);
  await using again = await openResultStore(`${folder}/parts`);
  const rest = await runCampaign(recipe, items, again, { batchAtoms: 8 });
  assertEquals(rest, { computed: 2, skipped: 6, isDone: true });
  await again.refresh();
  assertEquals(await contents(again), expected);
});

Deno.test("an interrupted campaign continues with the same bytes", async () => {
  const folder = await Deno.makeTempDir();
  const recipe = await readRecipe(RECIPE);
  const items = await Promise.all(crystals(5).map((system) => makeItem(system, recipe)));
  await using whole = await openResultStore(`${folder}/whole`);
  await runCampaign(recipe, items, whole);
  await using store = await openResultStore(`${folder}/stopped`);
  const stop = new AbortController();
  let count = 0;
  const onResult = () => {
    if (++count === 2) stop.abort();
  };
  const first = await runCampaign(recipe, items, store, {
    batchAtoms: 8,
    onResult,
    signal: stop.signal,
  });
  assertEquals(first.isDone, false);
  const second = await runCampaign(recipe, items, store);
  assertEquals([first.computed + second.computed, second.isDone], [5, true]);
  assertEquals(await contents(store), await contents(whole));
});

Deno.test("unfinished items continue in the middle of a stage", async () => {
  const folder = await Deno.makeTempDir();
  const stages = [
    { stage: "relax", steps: 3, optimizer: "fire" },
    { stage: "md", steps: 400, temperature: 40, options: { dt: 4 } },
  ] as const;
  const hook = { hook: "stop" };
  const recipe = await readRecipe({ model: MODEL, stages, hooks: [hook] });
  const items = await Promise.all(crystals(3).map((system) => makeItem(system, recipe)));
  let steps = 0, stopAt = Infinity, stop = new AbortController();
  const hooks = {
    stop: () => ({
      stage: "dynamics/AFTER_STEP",
      frequency: 1,
      call() {
        if (++steps === stopAt) stop.abort();
      },
    }),
  };
  await using whole = await openResultStore(`${folder}/whole`);
  await runCampaign(recipe, items, whole, { hooks });
  const all = steps;
  await using store = await openResultStore(`${folder}/stopped`);
  const checkpoint = `${folder}/work/task.hooke`;
  let done = 0;
  steps = 0;
  for (const at of [2, 200, 450, 1000, Infinity]) {
    [stopAt, stop] = [at, new AbortController()];
    const options = { hooks, checkpoint, signal: stop.signal, onNotice: fail };
    const { computed, isDone } = await runCampaign(recipe, items, store, options);
    done += computed;
    assertEquals(isDone, at === Infinity);
  }
  // No step was repeated.
  assertEquals([done, steps], [3, all]);
  assertEquals(await contents(store), await contents(whole));
  await assertRejects(() => Deno.stat(checkpoint), Deno.errors.NotFound);
});

function fail(message: string): never {
  throw new Error(message);
}

Deno.test("the id of an item depends on structure, recipe, seed and model, and on nothing else", async () => {
  const recipe = await readRecipe(RECIPE);
  const [crystal] = crystals(1);
  const { id } = await makeItem(crystal!, recipe);
  const ids = new Set([id]);
  const shifted = structureOf(structureText(crystal!));
  assertEquals((await makeItem(shifted, recipe)).id, id);
  shifted.positions[0]! += 1e-15;
  const others = [
    await makeItem(shifted, recipe),
    await makeItem(crystal!, recipe, 1),
    await makeItem(crystal!, await readRecipe({ ...RECIPE, outputs: [] })),
    await makeItem(
      crystal!,
      await readRecipe({
        ...RECIPE,
        model: { ...MODEL, options: { ...MODEL.options, sigma: 3.3 } },
      }),
    ),
  ];
  for (const item of others) ids.add(item.id);
  assertEquals(ids.size, 5);
  const elsewhere = { version: 1, ...RECIPE, hooks: [] };
  assertEquals((await readRecipe(JSON.parse(JSON.stringify(elsewhere)))).hash, recipe.hash);
});

Deno.test("a recipe's hash has the hash of the model, not its path", async () => {
  const of = (onnx: string, sha256: string) =>
    readRecipe({ model: { onnx, sha256 }, stages: [{ stage: "singlepoint" }] });
  const [a, b] = ["a".repeat(64), "b".repeat(64)];
  assertEquals((await of("x.onnx", a!)).hash, (await of("/data/y.onnx", a!)).hash);
  assertNotEquals((await of("x.onnx", a!)).hash, (await of("x.onnx", b!)).hash);
  const withManifest = (manifest: string | false) =>
    readRecipe({
      model: { onnx: "x.onnx", sha256: a, options: { manifest } },
      stages: [{ stage: "singlepoint" }],
    });
  assertEquals((await withManifest("x.json")).hash, (await withManifest("/data/y.json")).hash);
  assertNotEquals((await withManifest("x.json")).hash, (await withManifest(false)).hash);
});

Deno.test("a recipe names no files or addresses that the hash of its model does not cover", async () => {
  const refused = async (onnx: string, options: object, message: string) => {
    const model = { onnx, sha256: "a".repeat(64), options };
    const recipe = { model, stages: [{ stage: "singlepoint" }] };
    await assertRejects(() => readRecipe(recipe), TypeError, message);
  };
  for (const name of ["cache", "wasmFile", "download", "threads", "externalData", "reference"]) {
    await refused("x.onnx", { [name]: "/x" }, `model.options must not have ${name}`);
  }
  for (const manifest of ["https://a.org/x", "https:a.org", " ht\ntps://a.org", "file:///x"]) {
    await refused("x.onnx", { manifest }, "model.options.manifest must be the path of a file");
  }
  await refused("https://a.org/x.onnx", { manifest: "x.json" }, "and the model a file, too");
  assertEquals(
    ["https:a.org", "HTTPS://a.org/x", " https://a.org", "x.onnx", "c:\\x.onnx", "/a:b"].map(
      isAddress,
    ),
    [true, true, true, false, false, false],
  );
});

Deno.test("a wrong recipe is refused with the path of the mistake", async () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ model: MODEL }, "stages must be a list"],
    [{ model: MODEL, stages: [{ stage: "relaxx" }] }, "stages[0].stage must be one of"],
    [
      { model: MODEL, stages: [{ stage: "md", steps: 5 }] },
      "stages[0].temperature must be a number",
    ],
    [{ model: MODEL, stages: [{ stage: "relax", fmaxx: 1 }] }, 'got "fmaxx"'],
    [{ model: MODEL, stages: [{ stage: "relax", options: { seed: 1 } }] }, "must not have seed"],
    [{ model: MODEL, stages: [{ stage: "relax", fmax: NaN }] }, "stages[0].fmax"],
    [{ model: { onnx: "a.onnx" }, stages: [{ stage: "relax" }] }, "model.sha256 must be"],
    [{ model: MODEL, stages: [{ stage: "relax" }], version: 2 }, "version must be 1"],
    [
      { model: MODEL, stages: [{ stage: "relax" }], hooks: [{ hook: "./a.ts" }] },
      "hooks[0].sha256",
    ],
    [{ model: MODEL, stages: [{ stage: "relax" }], outputs: ["force"] }, "outputs must be among"],
  ];
  for (const [recipe, message] of wrong) {
    const { message: text } = await assertRejects(() => readRecipe(recipe), Error);
    assertMatch(text, new RegExp(message.replaceAll(/[[\]()]/g, "\\$&")));
  }
});

Deno.test("a recipe runs modules only if they are allowed and have the stated hash", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/hook.ts`, "throw new Error('it ran');");
  const hook = { hook: "./hook.ts", sha256: "0".repeat(64) };
  const recipe = await readRecipe({ model: MODEL, stages: [{ stage: "relax" }], hooks: [hook] });
  await using store = await openResultStore(`${folder}/store`);
  const base = `${folder}/recipe.json`;
  await assertRejects(() => runCampaign(recipe, [], store), TypeError, "allows no modules");
  await assertRejects(
    () => runCampaign(recipe, [], store, { modules: "folder", base }),
    Error,
    "SHA-256 of ./hook.ts must be 000",
  );
});

Deno.test("a wrong option of an engine ends the campaign before the first structure", async () => {
  const stages = [{ stage: "relax", options: { maxStepp: 1 } }];
  const recipe = await readRecipe({ model: MODEL, stages });
  const items = await Promise.all(crystals(1).map((system) => makeItem(system, recipe)));
  await using store = await openResultStore(`${await Deno.makeTempDir()}/store`);
  await assertRejects(() => runCampaign(recipe, items, store), TypeError, "maxStepp");
  assertEquals(store.size, 0);
});

Deno.test("a module that has changed is loaded again for the recipe with its new hash", async () => {
  const folder = await Deno.makeTempDir(), file = `${folder}/hook.ts`;
  const [item] = await Promise.all(
    crystals(1).map((one) => makeItem(one, { hash: "", modelHash: "" })),
  );
  for (const text of ["first", "second"]) {
    await Deno.writeTextFile(
      file,
      `export default { stage: "dynamics/AFTER_STEP", frequency: 1, call() { throw new Error("${text}"); } };`,
    );
    const sha256 = await sha256Hex(await Deno.readFile(file));
    const hooks = [{ hook: "./hook.ts", sha256 }], stages = [{ stage: "relax", steps: 3 }];
    const recipe = await readRecipe({ model: MODEL, stages, hooks });
    await using store = await openResultStore(`${folder}/${text}`);
    const options = { modules: "folder", base: `${folder}/recipe.json` } as const;
    await assertRejects(() => runCampaign(recipe, [item!], store, options), Error, text);
  }
});

Deno.test("the hash of a module covers what it imports by relative paths", async () => {
  const folder = await Deno.makeTempDir(),
    at = (name: string) => new URL(`file://${folder}/${name}`);
  const write = (name: string, text: string) => Deno.writeTextFile(at(name), text);
  await write(
    "alone.ts",
    "export default { stage: 'dynamics/AFTER_STEP', frequency: 1, call() {} };",
  );
  const alone = await hashModule(at("alone.ts"));
  assertEquals(alone.hash, await sha256Hex(await Deno.readFile(at("alone.ts"))));
  await Deno.mkdir(`${folder}/more`);
  await write(
    "hook.ts",
    `import "./hook.ts";\nexport { default } from "./alone.ts";\nimport('./more/a.ts');`,
  );
  await write("more/a.ts", "import type { X } from '../more/b.ts';\nimport 'npm:absent@1';");
  await write("more/b.ts", "export type X = 1;");
  const { hash, imports } = await hashModule(at("hook.ts"));
  assertEquals(
    [...imports.keys()],
    ["alone.ts", "more/a.ts", "more/b.ts"].map((one) => at(one).href),
  );
  const hooks = [{ hook: "./hook.ts", sha256: hash }], stages = [{ stage: "singlepoint" }];
  const recipe = await readRecipe({ model: MODEL, stages, hooks });
  const run = async () => {
    await using store = await openResultStore(`${folder}/store`);
    await runCampaign(recipe, [], store, { modules: "folder", base: `${folder}/recipe.json` });
  };
  await run();
  await write("more/b.ts", "export type X = 2;");
  await assertRejects(run, Error, `must be ${hash}, as the recipe states; got `);
  // A recipe with the new hash would run with the files that this process has loaded before.
  const changed = { hook: "./hook.ts", sha256: (await hashModule(at("hook.ts"))).hash };
  const second = await readRecipe({ model: MODEL, stages, hooks: [changed] });
  await using store = await openResultStore(`${folder}/second`);
  await assertRejects(
    () => runCampaign(second, [], store, { modules: "folder", base: `${folder}/recipe.json` }),
    Error,
    "has changed since this process has loaded it. Start the process again",
  );
});

Deno.test("a campaign ends soon after a result could not be written", async () => {
  const recipe = await readRecipe({ model: MODEL, stages: [{ stage: "relax", steps: 3 }] });
  const items = await Promise.all(crystals(30).map((system) => makeItem(system, recipe)));
  const store = await openResultStore(`${await Deno.makeTempDir()}/store`);
  store.flush = () => Promise.reject(new Error("no space left"));
  let results = 0;
  const options = { batchAtoms: 40, onResult: () => results++ };
  await assertRejects(() => runCampaign(recipe, items, store, options), Error, "no space left");
  assert(results < 30, `${results} results`);
});

Deno.test("a mistake in a hook ends the campaign, and is no result of a structure", async () => {
  const stages = [{ stage: "relax", steps: 3 }], hooks = [{ hook: "mistaken" }];
  const recipe = await readRecipe({ model: MODEL, stages, hooks });
  const items = await Promise.all(crystals(1).map((system) => makeItem(system, recipe)));
  await using store = await openResultStore(`${await Deno.makeTempDir()}/store`);
  const call = () => {
    throw new TypeError("a mistake");
  };
  const mistaken = () => ({ stage: "dynamics/AFTER_STEP", frequency: 1, call });
  const run = () => runCampaign(recipe, items, store, { hooks: { mistaken } });
  await assertRejects(run, TypeError, "a mistake");
  assertEquals(store.size, 0);
});

Deno.test("an item from elsewhere is checked", async () => {
  const recipe = await readRecipe(RECIPE);
  const item = await makeItem(crystals(1)[0]!, recipe, 3);
  assertEquals(await isItem(structuredClone(item), recipe), true);
  const wrong = [
    { ...item, seed: 4 },
    { ...item, noise: 1 },
    { ...item, input: item.input.replace("5.3", "5.4") },
    { ...item, id: "0".repeat(64) },
    { ...await makeItem(crystals(1)[0]!, recipe), input: "{}" },
    null,
    "item",
  ];
  for (const one of wrong) assertEquals(await isItem(one, recipe), false);
});

Deno.test("a structure is read back from its text bitwise", () => {
  const system = new System({
    symbols: ["O", "H"],
    positions: [[-0, 1e-300, 0.1], [1, 2, 3]],
    velocities: [[1, -0, 2], [0, 0, 0]],
    cell: [9, 9, 9],
    fields: { spin: { level: "node", dtype: "i32", width: 1, values: [1, -1] } },
    info: { label: "x" },
  });
  const text = structureText(system), back = structureOf(text);
  assertEquals(structureText(back), text);
  assertEquals(Object.is(back.positions[0], -0), true);
  assertEquals([...back.get("spin")], [1, -1]);
});
