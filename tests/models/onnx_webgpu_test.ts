/** Models on the host, with a batch on a GPU. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Batch, fcc, FIRE, rattle } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { openWebGpu } from "../../src/backend/mod.ts";
import { device, testOnGpu } from "../backend/gpu.ts";
import { where } from "../dynamics/backends.ts";

testOnGpu(
  "a graph on the host moves a batch on a GPU as it moves one in host memory",
  async () => {
    const backend = await openWebGpu({ device: device! });
    const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 6 });
    const run = async (on: typeof backend | "wasm", batch: "joined" | "single") => {
      await using model = await OnnxModel.open(bytes, { batch });
      await using opt = new FIRE({ model, dt: 0.5, ...where(on) });
      return await opt.run(
        Batch.from([
          rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1),
          { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.7, 0, 0] },
        ]),
        5,
      );
    };
    const expected = await run("wasm", "joined");
    for (const mode of ["joined", "single"] as const) {
      const batch = await run(backend, mode);
      assertEquals([...batch.get("stepsDone")], [5, 5]);
      for (const [k, x] of expected.get("positions").entries()) {
        assertAlmostEquals(batch.get("positions")[k]!, x, 1e-5);
      }
      for (const [s, energy] of expected.get("energy").entries()) {
        assertAlmostEquals(batch.get("energy")[s]!, energy, 1e-5);
      }
    }
    backend.dispose();
  },
);
