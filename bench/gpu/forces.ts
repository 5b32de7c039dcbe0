/**
 * Compares forces from `gradient` with forces that PyTorch traced into the file, on a GPU. It prints the time of runs
 * of SchNet with both, rewritten and replayed, in ms. Runs in a separate process, and reads no results.
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
  withForces,
} from "../../src/onnx/mod.ts";
import { stackedFeeds } from "../onnx/stacked.ts";
import { takeTurns } from "../turns.ts";

/** Turns of each; runs in a turn. */
const TURNS = 15, RUNS = 8;

/** The inputs of a session on the device. */
function onDevice(
  device: GPUDevice,
  session: Session,
  feeds: Readonly<Record<string, HostFeed>>,
): Feeds {
  return Object.fromEntries(session.inputs.map(({ name, dtype }) => {
    const { data, dims = [] } = feeds[name]!;
    const narrow = dtype === "int32" ? Int32Array.from(data as BigInt64Array, Number) : data;
    const buffer = createTensorBuffer(device, { dtype, dims });
    device.queue.writeBuffer(buffer, 0, narrow as BufferSource);
    return [name, { buffer, dims }];
  }));
}

if (import.meta.main) {
  const [folder = "", copies = "1"] = Deno.args;
  const feeds = await stackedFeeds(`${folder}/schnet_ref.json`, Number(copies));
  const device = await openGpuDevice();
  const lengthOf = (name: string, axis: number) => feeds[name]!.dims![axis]!;
  const dimensions = {
    N: lengthOf("positions", 0),
    E: lengthOf("edge_index", 1),
    B: lengthOf("energy0", 0),
  };
  const open = async (bytes: Uint8Array) => {
    const session = await openSession(gpuForm(bytes), {
      device: "webgpu",
      gpuDevice: device,
      outputs: "gpu",
      dimensions,
      capture: true,
    });
    return { session, feeds: onDevice(device, session, feeds) };
  };
  const both = {
    ours: await open(withForces(await Deno.readFile(`${folder}/schnet_e.onnx`)).bytes),
    traced: await open(await Deno.readFile(`${folder}/schnet_ef.onnx`)),
  };
  const body =
    ({ session, feeds }: { readonly session: Session; readonly feeds: Feeds }) => async () => {
      for (let run = 0; run < RUNS; run++) {
        for (const tensor of Object.values(await session.run(feeds))) {
          if (tensor.location === "gpu") tensor.dispose();
        }
      }
      await device.queue.onSubmittedWorkDone();
    };
  const costs = await takeTurns({ ours: body(both.ours), traced: body(both.traced) }, {
    turns: TURNS,
    warm: 2,
    events: RUNS,
  });
  console.log(JSON.stringify(costs));
  for (const { session } of Object.values(both)) await session.dispose();
  device.destroy();
}
