/**
 * Measures the time that recording the GPU work of a model saves. It prints the time of a run of SchNet with forces
 * in ms: as exported with all inputs on the GPU, where lists are made; as exported with its int64 lists from the
 * host; and rewritten and replayed. Runs in a separate process, and reads no results.
 *
 * @module
 */

import { openGpuDevice } from "../../src/backend/mod.ts";
import {
  createTensorBuffer,
  type Feeds,
  gpuForm,
  type HostFeed,
  openSession,
  type Session,
} from "../../src/onnx/mod.ts";

/** Turns of each; runs in a turn. */
const TURNS = 12, RUNS = 8;

/** A tensor of a reference file, in the type that a model of this form takes. */
function tensorOf(
  { type, dims, b64 }: { type: string; dims: number[]; b64: string },
  isNarrow: boolean,
): HostFeed {
  const { buffer } = Uint8Array.from(atob(b64), (char) => char.charCodeAt(0));
  if (type !== "int64") return { data: new Float32Array(buffer), dims };
  const whole = new BigInt64Array(buffer);
  return { data: isNarrow ? Int32Array.from(whole, Number) : whole, dims };
}

if (import.meta.main) {
  const [path = ""] = Deno.args;
  const bytes = await Deno.readFile(`${path}/schnet_ef.onnx`);
  const { inputs } = JSON.parse(await Deno.readTextFile(`${path}/schnet_ref.json`));
  const device = await openGpuDevice();
  const feedsOf = (session: Session, hasHostLists: boolean): Feeds =>
    Object.fromEntries(session.inputs.map(({ name, dtype }) => {
      const feed = tensorOf(inputs[name], dtype === "int32");
      if (dtype === "int64" && hasHostLists) return [name, feed];
      const buffer = createTensorBuffer(device, { dtype, dims: feed.dims! });
      device.queue.writeBuffer(buffer, 0, feed.data as BufferSource);
      return [name, { buffer, dims: feed.dims! }];
    }));
  const onGpu = { device: "webgpu", gpuDevice: device, outputs: "gpu" } as const;
  const plain = await openSession(bytes, onGpu);
  const dimensions = { N: 40, E: 120, B: 5 };
  const recorded = await openSession(gpuForm(bytes), { ...onGpu, dimensions, capture: true });
  const cases = [
    [plain, feedsOf(plain, false)],
    [plain, feedsOf(plain, true)],
    [recorded, feedsOf(recorded, false)],
  ] as const;
  const times: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [i, [session, feeds]] of cases.entries()) {
      const before = performance.now();
      for (let run = 0; run < RUNS; run++) {
        for (const tensor of Object.values(await session.run(feeds))) {
          if (tensor.location === "gpu") tensor.dispose();
        }
      }
      await device.queue.onSubmittedWorkDone();
      if (turn > 1) times[i]!.push((performance.now() - before) / RUNS);
    }
  }
  const [all, lists, replayed] = times.map((all) =>
    all.toSorted((a, b) => a - b)[all.length >> 2]!
  );
  console.log(JSON.stringify({ exported: all, withHostLists: lists, replayed }));
  for (const session of [plain, recorded]) await session.dispose();
  device.destroy();
}
