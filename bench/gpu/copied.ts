/**
 * Counts the bytes that are copied between integrator and model. `copied.ts FOLDER` prints the number of bytes that a
 * step of NVE with SchNet on WebGPU copies from and to the buffers that both share, and the number of other copied
 * bytes. Runs in a separate process. All commands that copy are counted on the device itself, including those of
 * onnxruntime. The result is the difference of 150 and 50 steps, so that copies at the beginning and the end of a run
 * do not count.
 *
 * @module
 */

import { openWebGpu } from "../../src/backend/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { Outputs } from "../../src/onnx/session/session_tensor.ts";
import { coldAtoms } from "./cold_atoms.ts";
import { watchSessions } from "./session_calls.ts";

/** Copies by the device's commands and by the host, in bytes. */
interface Copies {
  /** From or to what both know. */
  shared: number;
  /** Else: what the host learns of a step, and what the runtime tells its own shaders. */
  other: number;
}

/** Counts all copies on a device from now on. `isShared`: whether integrator and model both know a buffer. */
function countCopies(device: GPUDevice, isShared: (buffer: GPUBuffer) => boolean): Copies {
  const copies: Copies = { shared: 0, other: 0 };
  const add = (bytes: number, ...buffers: GPUBuffer[]) => {
    copies[buffers.some(isShared) ? "shared" : "other"] += bytes;
  };
  const { createCommandEncoder, createBuffer, queue, queue: { writeBuffer } } = device;
  device.createCommandEncoder = (descriptor) => {
    const encoder = createCommandEncoder.call(device, descriptor);
    const { copyBufferToBuffer, clearBuffer } = encoder;
    // There is a short form, too: from, to and how much.
    encoder.copyBufferToBuffer = (...given: unknown[]) => {
      const [from, to] = given.filter((one) => one instanceof GPUBuffer) as [GPUBuffer, GPUBuffer];
      add(Number(given.at(-1)), from, to);
      return (copyBufferToBuffer as (...given: unknown[]) => undefined).apply(encoder, given);
    };
    encoder.clearBuffer = (buffer, offset, size) => {
      add(size ?? buffer.size, buffer);
      return clearBuffer.call(encoder, buffer, offset, size);
    };
    return encoder;
  };
  queue.writeBuffer = (buffer, offset, data, from, size) => {
    const { byteLength, BYTES_PER_ELEMENT = 1 } = data as Uint8Array;
    add(size === undefined ? byteLength : size * BYTES_PER_ELEMENT, buffer);
    return writeBuffer.call(queue, buffer, offset, data, from, size);
  };
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor), { mapAsync } = buffer;
    buffer.mapAsync = (mode, offset, size) => {
      if (isShared(buffer)) add(size ?? buffer.size, buffer); // a staging buffer was counted as it was copied to
      return mapAsync.call(buffer, mode, offset, size);
    };
    return buffer;
  };
  return copies;
}

if (import.meta.main) {
  const [folder, atoms = "40"] = Deno.args;
  const shared = new Set<GPUBuffer>();
  const backend = await openWebGpu();
  const copies = countCopies(backend.device, (buffer) => shared.has(buffer));
  const model = await OnnxModel.open(`${folder}/schnet_ef.onnx`, { cutoff: 5 });
  const batch = await coldAtoms(folder!, atoms);
  const engine = new NVE({ model, dt: 0.05, backend });
  const runs = { count: 0 };
  const note = (tensors: Iterable<unknown>) => {
    for (const tensor of tensors) {
      const { buffer } = tensor as { readonly buffer?: GPUBuffer };
      if (buffer !== undefined) shared.add(buffer);
    }
  };
  watchSessions(({ session, feeds, fetches }) => {
    if (session.gpuDevice !== backend.device) return;
    runs.count++;
    note(Object.values(feeds));
    note(Object.values(fetches ?? {}));
  }, (outputs: Outputs) => note(Object.values(outputs)));
  await engine.run(batch, 5);
  const measured: Copies[] = [];
  for (const steps of [50, 150]) {
    Object.assign(copies, { shared: 0, other: 0 });
    await engine.run(batch, steps);
    measured.push({ ...copies });
  }
  const [few, many] = measured as [Copies, Copies];
  // What a run ends with brings positions and forces home: were they not seen, nothing would be.
  if (shared.size < 3 || runs.count < 200 || few.shared === 0) {
    throw new Error(
      "Cannot count copies: the model must run over buffers that copies are seen of",
    );
  }
  console.log(JSON.stringify({
    shared: (many.shared - few.shared) / 100,
    other: (many.other - few.other) / 100,
    buffers: shared.size,
  }));
  await engine.close();
  await model.dispose();
  backend.dispose();
}
