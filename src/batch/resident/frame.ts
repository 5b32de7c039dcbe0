import type { Backend, FrameBuffers } from "../../backend/backend.ts";
import { Control } from "../../kernels/kernel.ts";
import type { Batch } from "../batch.ts";

/** Creates the buffers that every kernel receives. All systems are active. */
export function makeFrame(batch: Batch, backend: Backend): FrameBuffers {
  const made = (values: ArrayLike<number>) => {
    const buffer = backend.alloc("i32", values.length);
    backend.write(buffer, values);
    return buffer;
  };
  return {
    systems: batch.size,
    offsets: made(batch.nodeOffsets),
    active: made(new Int32Array(batch.size).fill(1)),
    ids: made(batch.get("systemId")),
    ages: made(batch.ensure("stepsDone")),
    control: made(new Int32Array(Control.LENGTH)),
  };
}
