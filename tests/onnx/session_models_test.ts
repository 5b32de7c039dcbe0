/**
 * Real models through the door, against what PyTorch made of them in float64.
 *
 * A result may be 10⁻⁶ of the largest value away, and three times what Python's onnxruntime (1.31.1, CPU) is away for
 * the same file: that is its own rounding, and that of the file's weights.
 */
import { assert, assertEquals } from "@std/assert";
import { openGpuDevice } from "../../src/backend/mod.ts";
import {
  captureSafe,
  checkSession,
  compareTensors,
  decodeModel,
  type FeedsByInput,
  Graph,
  int64ToInt32,
  openSession,
  type Outputs,
  type Session,
  type TensorArray,
} from "../../src/onnx/mod.ts";
import { few, slow } from "../suite.ts";
import { lacksGpu } from "./gpu.ts";
import { readModel, readReference, type ReferenceTensor } from "./shared_models.ts";
import { lacks } from "../machine.ts";

/** Model → output → how far Python's onnxruntime is away, in parts of the largest value. */
const PYTHON: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  mlp_e: { energy: 9.27e-8 },
  schnet_e: { energy: 3.48e-7 },
  schnet_ef: { energy: 3.48e-7, forces: 1.29e-6 },
  painnx_e: { energy: 1.72e-7 },
  ani1x_1_e: { energy: 1.13e-6 },
  ani1x_1_ef: { energy: 1.13e-6, forces: 9.96e-7 },
};

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

function decode({ type, b64 }: ReferenceTensor): TensorArray {
  return new ARRAYS[type as keyof typeof ARRAYS](Uint8Array.fromBase64(b64).buffer);
}

function referenceOf(model: string) {
  return readReference(model.replace(/_ef?$/, ""));
}

function feedsOf(model: string, session: Session): FeedsByInput {
  const { inputs } = referenceOf(model);
  return Object.fromEntries(session.inputs.map(({ name }) => {
    const tensor = inputs[name]!;
    return [name, { data: decode(tensor), dims: tensor.dims }];
  }));
}

async function assertReference(model: string, outputs: Outputs): Promise<void> {
  const expected = referenceOf(model).outputs;
  assertEquals(Object.keys(outputs).sort(), Object.keys(PYTHON[model]!).sort());
  for (const [name, output] of Object.entries(outputs)) {
    const numbers = output.location === "host" ? output.data : await output.read();
    if (output.location === "gpu") output.dispose();
    const tolerance = { relative: 1e-6 + 3 * PYTHON[model]![name]!, absolute: 0 };
    const found = compareTensors(
      Float64Array.from(numbers as Float32Array),
      decode(expected[name]!),
      tolerance,
    );
    assert(
      found.ok,
      `${model} ${name}[${found.at}] is ${found.worst} away, at most ${found.limit}`,
    );
  }
}

/** The same atoms, a little elsewhere. */
function moved(feeds: FeedsByInput): FeedsByInput {
  const { data, dims } = feeds["positions"]!;
  const positions = Float32Array.from(data as Float32Array, (x, i) => x + 0.02 * Math.sin(7 * i));
  return { ...feeds, positions: { data: positions, dims: dims! } };
}

const onModels = (name: string, run: () => Promise<void>) =>
  Deno.test({ name, fn: run, ignore: lacks("models") });

const onGpuModels = (name: string, run: () => Promise<void>) =>
  Deno.test({ name, fn: run, ignore: lacks("models") || lacksGpu() });

for (const model of Object.keys(PYTHON)) {
  onModels(`${model} gives PyTorch's energies, and forces where it has them, on wasm`, async () => {
    await using session = await openSession(readModel(`${model}.onnx`), { checkFinite: true });
    await assertReference(model, await session.run(feedsOf(model, session)));
  });

  const onGpu = few(
    ["schnet_ef", "ani1x_1_e"].includes(model) ? onGpuModels : slow(onGpuModels),
    onGpuModels,
  );
  onGpu(`${model} gives the same on WebGPU, left on the device or not`, async () => {
    const gpuDevice = await openGpuDevice();
    for (const outputs of ["host", "gpu"] as const) {
      const options = { device: "webgpu", gpuDevice, outputs } as const;
      await using session = await openSession(readModel(`${model}.onnx`), options);
      const feeds = feedsOf(model, session);
      for (let run = 0; run < 2; run++) await assertReference(model, await session.run(feeds));
    }
    gpuDevice.destroy();
  });
}

slow(onGpuModels)(
  "40 runs of real models on both devices at once never hang, and each gives its own",
  async () => {
    const gpuDevice = await openGpuDevice();
    const onGpu = { device: "webgpu", gpuDevice } as const;
    const plan = [
      ["schnet_ef", onGpu],
      ["mlp_e", { ...onGpu, outputs: "gpu" }],
      ["ani1x_1_ef", {}],
      ["painnx_e", onGpu],
      ["schnet_ef", {}],
    ] as const;
    const sessions = await Promise.all(
      plan.map(([model, options]) => openSession(readModel(`${model}.onnx`), options)),
    );
    const feeds = plan.map(([model], i) => feedsOf(model, sessions[i]!));
    await Promise.all(Array.from({ length: 40 }, async (_, i) => {
      const at = i % plan.length;
      await assertReference(plan[at]![0], await sessions[at]!.run(feeds[at]!));
    }));
    for (const session of sessions) await session.dispose();
    gpuDevice.destroy();
  },
);

/** Names in shapes → their sizes. */
function sizesOf(session: Session, feeds: FeedsByInput): Record<string, number> {
  const sizes = session.inputs.flatMap(({ name, shape }) =>
    shape.map((size, i): [unknown, number] => [size, feeds[name]!.dims![i]!])
  );
  return Object.fromEntries(sizes.filter(([size]) => typeof size === "string"));
}

/** int64 → int32, as the rewritten model takes it. */
function narrowed(feeds: FeedsByInput): FeedsByInput {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { data, dims }]) => {
      const numbers = data instanceof BigInt64Array ? Int32Array.from(data, Number) : data;
      return [name, { data: numbers, dims: dims! }];
    }),
  );
}

slow(onGpuModels)(
  "a check finds that models agree on both devices, and replay well only when rewritten for it",
  async () => {
    const gpuDevice = await openGpuDevice();
    for (const model of Object.keys(PYTHON)) {
      const bytes = readModel(`${model}.onnx`);
      const graph = new Graph(decodeModel(bytes));
      int64ToInt32(graph);
      captureSafe(graph);
      await using session = await openSession(bytes);
      const feeds = [feedsOf(model, session), moved(feedsOf(model, session))];
      const dimensions = sizesOf(session, feeds[0]!);
      const options = { gpuDevice, capture: true, dimensions, tolerance: { relative: 1e-5 } };
      const asExported = await checkSession(bytes, { ...options, feeds });
      assert(asExported.webgpu.ok, `${model}, ${asExported.webgpu.text}`);
      assertEquals(asExported.capture?.ok, false, asExported.capture?.text);
      const rewritten = await checkSession(graph.encode(), {
        ...options,
        feeds: feeds.map(narrowed),
      });
      assert(rewritten.webgpu.ok, `${model}, ${rewritten.webgpu.text}`);
      assert(rewritten.capture?.ok, `${model}, ${rewritten.capture?.text}`);
    }
    gpuDevice.destroy();
  },
);
