/** A system has the same bits alone, in any place, joining late, on threads, observed and resumed. */
import { openThreads } from "../../src/backend/mod.ts";
import { alone, assertSameWay, ENGINES } from "./same_bits.ts";
import { onEngines } from "./backends.ts";

const ON_HOST = [
  "in slot 0",
  "in slot 63",
  "observed",
  "resumed",
  "admitted late",
  "admitted late, to a place that is free",
];
const WAYS_ON = { reference: ON_HOST, wasm: ON_HOST, webgpu: ["in slot 63", "resumed"] };
const STEPS = { reference: 10, wasm: 100, webgpu: 15 };

for (const [name, row] of Object.entries(ENGINES)) {
  Deno.test(
    `${name}: one system alone, in slot 0, in slot 63, admitted at step 500, observed, on threads, resumed: the same bits`,
    onEngines(async (backend, device) => {
      const trial = { row, backend, steps: STEPS[device] };
      const expected = await alone(trial);
      for (const way of WAYS_ON[device]) {
        const t = performance.now();
        await assertSameWay(trial, way, expected);
        if (Deno.env.get("T")) console.log(device, way, performance.now() - t);
      }
      if (device !== "wasm") return;
      const threads = openThreads(2);
      try {
        await assertSameWay({ ...trial, backend: threads }, "among few", expected);
      } finally {
        threads.dispose();
      }
    }),
  );
}
