/** Models of .onnx files on a GPU, over the buffers of the state. */
import { assert, assertEquals } from "@std/assert";
import { openBackend, openWebGpu } from "../../src/backend/mod.ts";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { device, testOnGpu } from "../backend/gpu.ts";

testOnGpu("the Lennard-Jones graph drives a crystal on WebGPU as it does on wasm", async () => {
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 6 });
  await using model = await OnnxModel.open(bytes);
  const run = async (backend: Parameters<typeof Object>[0]) => {
    const batch = Batch.from([2, 3].map((cells) => fcc({ element: "Ar", a: 5.26, cells })));
    initVelocities(batch, 60, { seed: 3 });
    await using md = new NVE({ model, dt: 2, backend });
    await md.run(batch, 25);
    return batch;
  };
  const gpu = await openWebGpu({ device: device! });
  const [fast, slow] = [await run(gpu), await run(openBackend("wasm"))];
  gpu.dispose();
  console.log(model.describe());
  const worst = (name: "positions" | "forces" | "energy") =>
    Math.max(...fast.get(name).map((x, i) => Math.abs(x - slow.get(name)[i]!)));
  console.log(worst("positions"), worst("forces"), worst("energy"));
  assert(worst("positions") < 1e-5);
  assertEquals(fast.get("stepsDone"), slow.get("stepsDone"));
});
