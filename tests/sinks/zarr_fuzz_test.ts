import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { damaged, makeStore, metadataOf, outcomeOf, randomOf } from "./zarr_fuzz.ts";

/** File of a store, original text, its replacement, and the key that the error names. */
const WRONG: readonly (readonly [string, string, string, string])[] = [
  ["zarr.json", '"zarr_format":3', '"zarr_format":2', "zarr_format must be 3"],
  [
    "zarr.json",
    '"num_samples":12',
    '"num_samples":-2',
    "attributes.num_samples must be a non-negative",
  ],
  ["zarr.json", '"num_samples":12', '"num_samples":99', "meta/samples_mask: it must have 99"],
  ["zarr.json", '"positions":"atom"', '"positions":"atoms"', "attributes.fields.core.positions"],
  ["zarr.json", '"positions":"atom"', '"../x":"atom"', "attributes.fields.core.../x"],
  ["zarr.json", '"positions":"atom",', "", "positions among attributes.fields"],
  ["core/forces/zarr.json", '"float64"', '"complex64"', "data_type must be"],
  ["custom/step/zarr.json", '"data_type":"int32"', '"data_type":"float32"', "shape and data_type"],
  ["core/forces/zarr.json", '"zstd"', '"blosc"', "codecs[0].configuration.codecs[1].name must be"],
  ["core/forces/zarr.json", '"end"', '"middle"', "index_location"],
  ["core/forces/zarr.json", '"regular"', '"rectilinear"', "chunk_grid.name"],
  ["core/forces/zarr.json", '"width":3', '"width":4', "shape and data_type"],
  ["core/forces/zarr.json", '"NaN"', '"None"', "fill_value must be a value of type float64"],
  ["core/forces/zarr.json", '"separator":"/"', '"separator":"-"', "chunk_key_encoding.config"],
  [
    "core/energy/zarr.json",
    '"shape":[12',
    '"shape":[1e30',
    "shape[0] must be a non-negative integer",
  ],
  ["custom/step/zarr.json", '"dtype":"i32"', '"dtype":"i64"', "attributes.hooke.dtype"],
];

Deno.test("damaged metadata is named by file and key", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await makeStore(path);
    for (const [name, right, wrong, key] of WRONG) {
      const file = `${path}/${name}`, text = await Deno.readTextFile(file);
      assert(text.includes(right), `${name} has no ${right}: ${text}`);
      await Deno.writeTextFile(file, text.replace(right, wrong));
      const error = await assertRejects(() => new ZarrSink(path).read(), SyntaxError, key);
      assert(
        error.message.includes(name.replace("/zarr.json", "")) || key.includes("meta/"),
        error.message,
      );
      await Deno.writeTextFile(file, text);
    }
    assertEquals(await outcomeOf(path), undefined);
  });
});

Deno.test("changed metadata gives a SyntaxError or the same systems", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, random = randomOf(8);
    await makeStore(path);
    const files = metadataOf(path);
    for (let run = 0; run < 150; run++) {
      const file = files[Math.floor(random() * files.length)]!;
      const text = await Deno.readTextFile(file), wrong = damaged(text, random);
      await Deno.writeTextFile(file, wrong);
      const error = await new ZarrSink(path).read().then(() => undefined, (error) => error);
      assert(
        error === undefined || error instanceof SyntaxError || error instanceof RangeError,
        `${file} ${wrong} gave ${error?.stack}`,
      );
      await Deno.writeTextFile(file, text);
    }
  });
});

Deno.test("damaged chunks give a SyntaxError", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`;
    await makeStore(path);
    const file = `${path}/core/positions/c/0/0`, bytes = await Deno.readFile(file);
    for (const size of [0, 3, 4067, bytes.length - 1]) {
      await Deno.writeFile(file, bytes.subarray(0, size));
      await assertRejects(() => new ZarrSink(path).read(), SyntaxError, "core/positions");
    }
    const wrong = bytes.slice();
    wrong.fill(0, 0, 8); // the beginning of the first chunk
    await Deno.writeFile(file, wrong);
    await assertRejects(() => new ZarrSink(path).read(), SyntaxError, "match their checksums");
  });
});

Deno.test("no flipped bit of a chunk is read as other data, compressed or not", async () => {
  const frames = Batch.from(Array.from({ length: 40 }, (_, i) => ({
    symbols: ["Ar", "Ne"],
    positions: [i, 0.1, 0.2, -i, Math.sqrt(i), 7],
  })));
  for (const compression of ["none", "zstd"] as const) {
    await withFolder(async (folder) => {
      const path = `${folder}/x.zarr`, random = randomOf(7);
      let refused = 0;
      const sink = new ZarrSink(path, { compression });
      await sink.write(frames);
      await sink.close();
      const file = `${path}/core/positions/c/0/0`, bytes = await Deno.readFile(file);
      for (let flip = 0; flip < 16; flip++) {
        const wrong = bytes.slice(), bit = Math.floor(8 * random() * bytes.length);
        wrong[bit >> 3]! ^= 1 << (bit & 7);
        await Deno.writeFile(file, wrong);
        const found = await new ZarrSink(path).read().catch((error) => error);
        if (found instanceof SyntaxError) refused++;
        else assertEquals(found.get("positions"), frames.get("positions"), `bit ${bit}`); // in unused space
      }
      assert(refused > 6, `${refused} were refused`);
    });
  }
});
