/** The edits where they are needed: nothing left on the CPU, replays that are right, angles that are. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openGpuDevice } from "../../../src/backend/mod.ts";
import {
  acosToAtan,
  checkSession,
  constantOfShapeToExpand,
  dataOf,
  decodeModel,
  type FeedsByInput,
  gpuForm,
  Graph,
  GraphBuilder,
  int64ToInt32,
  lennardJonesModel,
  type LennardJonesModelOptions,
  openSession,
} from "../../../src/onnx/mod.ts";
import { lacks } from "../../machine.ts";
import { gpuTest, lacksGpu } from "../gpu.ts";
import { feeds as indexedFeeds, indexed } from "../indexed_model.ts";
import { fromReference, narrowed, type Tensors } from "../ort.ts";
import { readModel, readReference, SMALL_MODELS } from "../shared_models.ts";
import { few } from "../../suite.ts";

/** The outputs of the indexed model that WebGPU takes. */
const FLOATS = decodeModel(indexed()).graph!.output.map(({ name }) => name)
  .filter((name) => name !== "next");

type Sizes = Readonly<Record<string, number>>;

/** As the door takes them; the first of them, coordinates, a little elsewhere in the second. */
function twoFeeds(tensors: Tensors, moved: string): [FeedsByInput, FeedsByInput] {
  const feeds: FeedsByInput = Object.fromEntries(
    Object.entries(narrowed(tensors)).map(([name, { data, dims }]) => [name, {
      data: data as Float32Array,
      dims: [...dims],
    }]),
  );
  const data = Float32Array.from(
    feeds[moved]!.data as Float32Array,
    (x, i) => x + 0.02 * Math.sin(7 * i + 1),
  );
  return [feeds, { ...feeds, [moved]: { ...feeds[moved]!, data } }];
}

/** Opens without any node on the CPU, and replays what it runs. */
async function assertFit(
  bytes: Uint8Array,
  feeds: [FeedsByInput, FeedsByInput],
  dimensions: Sizes,
): Promise<void> {
  const gpuDevice = await openGpuDevice();
  const known = decodeModel(bytes).graph!.input.map(({ name }) => name);
  const fed = feeds.map((each) => Object.fromEntries(known.map((name) => [name, each[name]!])));
  try {
    const options = { device: "webgpu", gpuDevice, dimensions, cpuFallback: false } as const;
    await using session = await openSession(bytes, options);
    assertEquals(session.device, "webgpu");
    const { webgpu, capture } = await checkSession(bytes, {
      feeds: fed,
      capture: true,
      gpuDevice,
      dimensions,
    });
    assert(webgpu.ok, webgpu.text);
    assert(capture?.ok, capture?.text);
  } finally {
    gpuDevice.destroy();
  }
}

/** Twelve atoms in two systems, every pair both ways or once, padded by three entries. */
function atoms(list: "full" | "half"): FeedsByInput {
  const [src, dst]: [number[], number[]] = [[], []];
  for (let i = 0; i < 12; i++) {
    for (let j = 0; j < 12; j++) {
      const isListed = list === "full" ? i !== j : i < j;
      if (isListed && Math.floor(i / 6) === Math.floor(j / 6)) src.push(i), dst.push(j);
    }
  }
  const count = src.length + 3;
  const shifts = new Float32Array(3 * count);
  for (let e = src.length; e < count; e++) shifts[3 * e] = 100;
  const [a, b] = [src, dst].map((atoms) =>
    Int32Array.from({ length: count }, (_, e) => atoms[e] ?? 0)
  ) as [
    Int32Array<ArrayBuffer>,
    Int32Array<ArrayBuffer>,
  ];
  const positions = Float32Array.from(
    { length: 36 },
    (_, i) => 3.6 * ((i * 7) % 6 % 3) + 1.9 * (i % 5) + 0.3 * Math.sin(i),
  );
  const batch = (atom: number) => Math.floor(atom / 6);
  return {
    positions: { data: positions, dims: [12, 3] },
    edge_index: { data: Int32Array.from([...a, ...b]), dims: [2, count] },
    edge_src: { data: a, dims: [count] },
    edge_dst: { data: b, dims: [count] },
    shifts: { data: shifts, dims: [count, 3] },
    batch_idx: { data: Int32Array.from({ length: 12 }, (_, i) => batch(i)), dims: [12] },
    edge_batch: { data: a.map(batch), dims: [count] },
    energy0: { data: new Float32Array(2), dims: [2] },
  };
}

const FORMS: Partial<LennardJonesModelOptions>[] = [
  { list: "full" },
  { list: "half", edges: "separate", batchIndex: "edge" },
];

for (const form of FORMS) {
  gpuTest(
    `the Lennard-Jones model ${JSON.stringify(form)} runs completely on WebGPU, and replays`,
    async () => {
      const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5, ...form });
      const feeds = atoms(form.list!);
      const data = Float32Array.from(
        feeds["positions"]!.data as Float32Array,
        (x, i) => x + 0.1 * Math.sin(i),
      );
      const moved = { ...feeds, positions: { data, dims: [12, 3] } };
      const E = feeds["shifts"]!.dims![0]!;
      await assertFit(bytes, [feeds, moved], { N: 12, E, B: 2 });
    },
  );
}

gpuTest(
  "a model with int64 indices runs completely on WebGPU after the edits, and replays",
  async () => {
    const form = gpuForm(indexed(), { outputs: FLOATS });
    const feeds = twoFeeds(indexedFeeds(), "x");
    const sizes = { N: 4, E: 5, B: 2 };
    await assertFit(form, feeds, sizes);
    const gpuDevice = await openGpuDevice();
    const options = { device: "webgpu", gpuDevice, dimensions: sizes, cpuFallback: false } as const;
    await assertRejects(() => openSession(indexed(), options)); // before them it is not
    gpuDevice.destroy();
  },
);

gpuTest("wrong replays of a graph that was not made safe are detected", async () => {
  const graph = new Graph(decodeModel(indexed()));
  graph.model.graph!.output = graph.model.graph!.output.filter(({ name }) => name !== "next");
  const narrow = new Graph(decodeModel(graph.encode()));
  int64ToInt32(narrow);
  constantOfShapeToExpand(narrow);
  const { capture } = await checkSession(narrow.encode(), {
    feeds: twoFeeds(indexedFeeds(), "x"),
    capture: true,
    dimensions: { N: 4, E: 5, B: 2 },
  });
  assertEquals(capture?.ok, false, "captureSafe is not needed any more");
});

gpuTest("angles by atan are closer on WebGPU than by acos, and as close as float32", async () => {
  const g = new GraphBuilder("angles");
  g.output("angle", g.op("Acos", [g.input("x", "f32", ["N"])], "f32"), ["N"]);
  const graph = new Graph(decodeModel(g.build()));
  acosToAtan(graph);
  const x = Float32Array.from({ length: 2001 }, (_, i) => (i - 1000) / 1000);
  const gpuDevice = await openGpuDevice();
  const errorOf = async (bytes: Uint8Array) => {
    await using session = await openSession(bytes, { device: "webgpu", gpuDevice });
    const angles = dataOf(
      await session.run({ x: { data: x, dims: [x.length] } }),
      "angle",
      "float32",
    );
    return Math.max(...angles.map((angle, i) => Math.abs(angle - Math.acos(x[i]!))));
  };
  const [byAcos, byAtan] = [await errorOf(g.build()), await errorOf(graph.encode())];
  gpuDevice.destroy();
  assert(byAtan < 2e-5, `by atan it is off by ${byAtan}`);
  assert(byAtan < byAcos || byAcos < 1e-6, `by atan it is off by ${byAtan}, by acos ${byAcos}`);
});

// The fast suite edits one model; they take a second each.
for (const file of few(["schnet_ef.onnx"], SMALL_MODELS)) {
  const ignore = lacks("models") || lacksGpu();
  Deno.test(
    `${file} runs completely on WebGPU after the edits, and replays`,
    { ignore },
    async () => {
      const { inputs } = readReference(file.replace(/_ef?\.onnx$/, ""));
      const tensors = Object.fromEntries(
        Object.entries(inputs).map(([name, tensor]) => [name, fromReference(tensor)]),
      );
      const length = (name: string) => tensors[name]?.dims[0] ?? 0;
      await assertFit(gpuForm(readModel(file)), twoFeeds(tensors, "positions"), {
        N: length("positions"),
        E: length("shifts"),
        B: length("energy0"),
        T: length("trip_center"),
      });
    },
  );
}
