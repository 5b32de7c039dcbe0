// Python programs read stores of Hooke, and Hooke reads theirs.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { buildNeighborList } from "../../src/batch/neighbors/mod.ts";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { openPython, pythonTest } from "../python.ts";

/** Three systems of different sizes, with edges between neighbors, that differ from step to step. */
function frame(step: number): Batch {
  const chain = (atoms: number) => ({
    numbers: Array.from({ length: atoms }, (_, i) => 1 + (step + i) % 9),
    positions: Array.from({ length: atoms }, (_, i) => [1.1 * i, 0.25 * step, 0]),
    forces: Array.from({ length: atoms }, (_, i) => [i, step, -0.5]),
    cell: [20, 21, 22],
    energy: -atoms - step / 4,
    charges: Array(atoms).fill(0.5),
    fields: { weight: { level: "system", values: step / 8 } },
  } as const);
  const batch = Batch.from([chain(2 + step % 3), chain(5), chain(1)]);
  const { count, edges, shifts } = buildNeighborList(batch, { cutoff: 2.5 });
  const pairs = Array.from({ length: count }, (_, e) => [edges[e]!, edges[count + e]!]);
  batch.setEdges(pairs, shifts);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  batch.set("time", 0.5 * step, { level: "system", unit: "fs" });
  return batch;
}

/** Writes three runs of frames, each by its own sink. Returns all frames. */
async function writeRuns(path: string, compression: "zstd" | "none"): Promise<Batch> {
  for (const run of [0, 1, 2]) {
    await using sink = new ZarrSink(path, { compression, chunkBytes: 500 });
    for (let step = 4 * run; step < 4 * run + 4; step++) {
      await sink.write(frame(step));
      if (step % 2 === 0) await sink.flush();
    }
  }
  return Batch.from(Array.from({ length: 12 }, (_, step) => frame(step).systems()).flat());
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const READ = `
import json, sys, warnings
warnings.simplefilter("error")
import xarray, zarr
root = zarr.open(sys.argv[1], mode="r")
arrays = {k: a[:].ravel().tolist() for k, a in root.members(max_depth=None) if isinstance(a, zarr.Array)}
core = xarray.open_zarr(sys.argv[1], group="core", consolidated=False)
print(json.dumps({
    "samples": root.attrs["num_samples"], "fields": root.attrs["fields"], "arrays": arrays,
    "sizes": dict(core.sizes), "forces": core["forces"].sum(dim="atom").values.tolist(),
}))
`;

for (const compression of ["zstd", "none"] as const) {
  pythonTest(`zarr and xarray open a store (${compression}) without a warning`, async () => {
    const python = await openPython("zarr");
    await withFolder(async (folder) => {
      const path = `${folder}/x.zarr`, all = await writeRuns(path, compression);
      const read = JSON.parse(await python.run(READ, [path]));
      assertEquals([read.samples, read.sizes.system, read.sizes.atom], [36, 36, all.nodeCount]);
      assertEquals(read.fields.custom.step, "system");
      const arrays: Record<string, number[]> = read.arrays;
      for (
        const [stored, name] of [
          ["positions", "positions"],
          ["atomic_numbers", "numbers"],
          ["cell", "cell"],
          ["neighbor_list", "edges"],
          ["energy", "energy"],
          ["charges", "charges"],
        ] as const
      ) assertEquals(arrays[`core/${stored}`], Array.from(all.get(name)), name);
      for (const name of ["step", "time", "weight"]) {
        assertEquals(arrays[`custom/${name}`], Array.from(all.get(name)), name);
      }
      assertEquals(arrays["meta/atoms_ptr"], Array.from(all.nodeOffsets));
      assertEquals(arrays["meta/edges_ptr"], Array.from(all.edgeOffsets));
      assert((arrays["meta/samples_mask"] as unknown[]).every((flag) => flag === true));
      assertEquals(read.forces[2], -0.5 * all.nodeCount);
    });
  });
}

const DATASET = `
import json, sys
from nvalchemi.data import AtomicData
from nvalchemi.data.datapipes import Dataset
from nvalchemi.data.datapipes.backends.zarr import AtomicDataZarrReader
dataset = Dataset(AtomicDataZarrReader(sys.argv[1]), device="cpu")
samples = [dataset[i][0] for i in range(len(dataset))]
names = ["atomic_numbers", "positions", "neighbor_list", "neighbor_list_shifts", "energy", "cell", "step"]
print(json.dumps([{name: getattr(s, name).ravel().tolist() for name in names} for s in samples]))
`;

pythonTest(
  "nvalchemi's reader finds systems and their neighbor lists after several appends",
  async () => {
    const python = await openPython("nvalchemi");
    await withFolder(async (folder) => {
      const path = `${folder}/x.zarr`, all = await writeRuns(path, "zstd");
      const samples = JSON.parse((await python.run(DATASET, [path])).split("\n").at(-2)!);
      assertEquals(samples.length, 36);
      for (const [i, system] of all.systems().entries()) {
        const list = (name: string) => Array.from(system.get(name));
        assertEquals(samples[i], {
          atomic_numbers: list("numbers"),
          positions: list("positions"),
          neighbor_list: list("edges"),
          neighbor_list_shifts: list("shifts"),
          energy: list("energy"),
          cell: list("cell"),
          step: list("step"),
        });
      }
    });
  },
);

const WRITE = `
import sys, torch
from zarr.codecs import BytesCodec, GzipCodec, ZstdCodec
from nvalchemi.data import AtomicData, Batch
from nvalchemi.data.datapipes.backends.zarr import AtomicDataZarrWriter
def data(n, k):
    return AtomicData(
        atomic_numbers=torch.arange(1, n + 1), positions=torch.arange(3.0 * n).reshape(n, 3) + k,
        forces=torch.full((n, 3), -1.0 * k), energy=torch.tensor([[0.5 * k]]), cell=(9.0 + k) * torch.eye(3)[None],
        pbc=torch.tensor([[True, False, True]]), neighbor_list=torch.tensor([[i, i + 1] for i in range(n - 1)]).reshape(-1, 2),
    )
configs = {
    "plain": None,
    "gzip": {"core": {"compressors": (GzipCodec(),), "chunk_size": 4}},
    "shards": {"core": {"compressors": (ZstdCodec(),), "chunk_size": 2, "shard_size": 8}},
    "big": {"core": {"compressors": (), "serializer": BytesCodec(endian="big"), "chunk_size": 3}},
}
for name, config in configs.items():
    writer = AtomicDataZarrWriter(f"{sys.argv[1]}/{name}.zarr", config)
    writer.write(Batch.from_data_list([data(3, 0), data(2, 1), data(4, 2), data(2, 3)]))
    writer.add_custom("step", torch.tensor([0, 10, 20, 30]), "system")
    writer.add_custom("weight", torch.arange(11.0), "atom")
    writer.delete([1])
writer = AtomicDataZarrWriter(f"{sys.argv[1]}/appended.zarr")
writer.write(Batch.from_data_list([data(3, 0), data(2, 1)]))
writer.append(data(4, 2))
`;

pythonTest("stores that nvalchemi wrote are read, without deleted systems", async () => {
  const python = await openPython("nvalchemi");
  await withFolder(async (folder) => {
    await python.run(WRITE, [folder]);
    for (const name of ["plain", "gzip", "shards", "big"]) {
      const sink = new ZarrSink(`${folder}/${name}.zarr`);
      const all = await sink.read();
      assertEquals([sink.length, all.size, all.nodeCount], [3, 3, 9], name);
      assertEquals([...all.get("numbers")], [1, 2, 3, 1, 2, 3, 4, 1, 2]);
      assertEquals([...all.get("positions").slice(9, 12)], [2, 3, 4]);
      assertEquals([...all.get("energy")], [0, 1, 1.5]);
      assertEquals([...all.get("edges")], [0, 1, 1, 2, 3, 4, 4, 5, 5, 6, 7, 8]);
      assertEquals([...all.get("pbc").slice(0, 3)], [1, 0, 1]);
      assertEquals(all.get("cell")[9], 11);
      assertEquals([...all.get("step")], [0, 20, 30]);
      assertEquals([...all.get("weight")], [0, 1, 2, 5, 6, 7, 8, 9, 10]);
      const late = await sink.slice({ steps: [15, 40] });
      assertEquals([...late.get("forces").slice(0, 1), late.size], [-2, 2]);
      await assertRejects(
        () => Promise.resolve(sink.write(all)).then(() => sink.flush()),
        TypeError,
      );
    }
    // Its appended edges count atoms from the first appended one, so they belong to no atoms here.
    const appended = new ZarrSink(`${folder}/appended.zarr`);
    await assertRejects(() => appended.read(), SyntaxError, "must connect nodes of its own system");
    assertEquals([...(await appended.slice({ to: 2 })).get("edges")], [0, 1, 1, 2, 3, 4]);
  });
});

const CHUNKINGS = `
import sys, numpy as np, zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, ZstdCodec
def write(name, **how):
    root = zarr.open(f"{sys.argv[1]}/{name}.zarr", mode="w")
    meta, core = root.create_group("meta"), root.create_group("core")
    for key, data in {"atoms_ptr": [0, 3, 5], "edges_ptr": [0, 0, 0]}.items():
        meta.create_array(key, data=np.array(data, dtype="int64"))
    meta.create_array("samples_mask", data=np.array([True, True]))
    core.create_array("atomic_numbers", data=np.array([8, 1, 1, 18, 18], dtype="uint8"))
    core.create_array("positions", data=np.arange(15, dtype="float64").reshape(5, 3), **how)
    root.attrs["fields"] = {"core": {"atomic_numbers": "atom", "positions": "atom"}, "custom": {}}
write("columns", chunks=(2, 2), compressors=GzipCodec())
write("one", chunks=(50, 3), compressors=None)
write("checked", chunks=(2, 3), compressors=[ZstdCodec(checksum=True), Crc32cCodec()])
write("sharded", chunks=(1, 1), shards=(2, 3), compressors=ZstdCodec(level=9))
write("dots", chunks=(2, 2), chunk_key_encoding={"name": "v2", "separator": "."})
write("big", chunks=(3, 3), shards=(6, 3), serializer=BytesCodec(endian="big"))
write("start", chunks=(4, 3), compressors=None, serializer=ShardingCodec(
    chunk_shape=(2, 3), codecs=[BytesCodec(), GzipCodec()], index_location="start"))
write("blosc", chunks=(2, 3), compressors=BloscCodec())
`;

pythonTest(
  "arrays of any chunks, codecs and byte order are read; unknown codecs are named",
  async () => {
    const python = await openPython("zarr");
    await withFolder(async (folder) => {
      await python.run(CHUNKINGS, [folder]);
      for (const name of ["columns", "one", "checked", "sharded", "dots", "big", "start"]) {
        const all = await new ZarrSink(`${folder}/${name}.zarr`).read();
        assertEquals([...all.get("positions")], Array.from({ length: 15 }, (_, i) => i), name);
        assertEquals([...all.nodeOffsets, ...all.get("numbers")], [0, 3, 5, 8, 1, 1, 18, 18]);
      }
      const blosc = new ZarrSink(`${folder}/blosc.zarr`);
      await assertRejects(
        () => blosc.read(),
        SyntaxError,
        `codecs[1].name must be "gzip" or "zstd"`,
      );
    });
  },
);
