// Stores of Zarr do what every sink must do, however they are packed and cut.
import { ZarrSink, type ZarrSinkOptions } from "../../src/sinks/mod.ts";
import { sinkSuite, type SinkTrial } from "../../src/testing/mod.ts";

/** Chunks as they come, and chunks so small that rows, chunks and shards begin everywhere. */
const KINDS: readonly ZarrSinkOptions[] = [
  {},
  { compression: "none" },
  { chunkBytes: 64 },
  { chunkBytes: 64, compression: "none", mostBytes: 1 },
];

async function inFolder(options: ZarrSinkOptions): Promise<SinkTrial> {
  const folder = await Deno.makeTempDir();
  const make = () => new ZarrSink(`${folder}/x.zarr`, options);
  return {
    sink: make(),
    reopen: make,
    dispose: () => Deno.remove(folder, { recursive: true }),
  };
}

for (const kind of KINDS) {
  const cases = sinkSuite(() => inFolder(kind), {
    bounded: (capacity) => inFolder({ ...kind, capacity }),
    isStored: true,
  });
  for (const { name, run } of cases) Deno.test(`zarr ${JSON.stringify(kind)}: ${name}`, run);
}
