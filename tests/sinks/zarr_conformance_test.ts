// Conformance suite of sinks, run on Zarr stores with any compression and size of chunks.
import { ZarrSink, type ZarrSinkOptions } from "../../src/sinks/mod.ts";
import { sinkSuite, type SinkTrial } from "../../src/testing/mod.ts";
import { rowsOf } from "../suite.ts";

/** Default chunks, and small chunks, so that rows, chunks and shards begin at many positions. */
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

const trials = KINDS.flatMap((kind) =>
  sinkSuite(() => inFolder(kind), {
    bounded: (capacity) => inFolder({ ...kind, capacity }),
    isStored: true,
  }).map((one) => ({ ...one, kind: JSON.stringify(kind) }))
);

// The fast suite runs each case with one kind of store, and cases that compare with a list with all kinds.
const chosen = rowsOf(trials, {
  keys: ({ kind, name }) => /run 1$/.test(name) ? [name + kind] : [name, kind],
});

for (const { kind, name, run } of chosen) Deno.test(`zarr ${kind}: ${name}`, run);
