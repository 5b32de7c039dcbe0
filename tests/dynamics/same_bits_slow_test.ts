/** A system has the same bits in each way there is of running it, on each backend and on threads, for longer. */
import { openThreads } from "../../src/backend/mod.ts";
import { WasmBackend } from "../../src/backend/wasm/wasm_backend.ts";
import { onEngines } from "./on_engines.ts";
import { alone, assertSameWay, ENGINES, WAYS } from "./same_bits.ts";

const STEPS = { reference: 50, wasm: 400, webgpu: 20 };

for (const [name, row] of Object.entries(ENGINES)) {
  Deno.test(
    `${name}: one system has the same bits in each way of running it, on threads and in blocks too`,
    onEngines(async (backend, device) => {
      const trial = { row, backend, steps: STEPS[device] };
      const expected = await alone(trial);
      for (const way of Object.keys(WAYS)) await assertSameWay(trial, way, expected);
      if (device !== "wasm") return;
      for (const blockAtoms of [1, 100]) {
        const blocks = new WasmBackend({ blockAtoms });
        for (const way of Object.keys(WAYS)) {
          await assertSameWay({ ...trial, backend: blocks }, way, expected);
        }
        blocks.dispose();
      }
      for (const count of [2, 3]) {
        const threads = openThreads(count);
        try {
          for (const way of Object.keys(WAYS)) {
            await assertSameWay({ ...trial, backend: threads }, way, expected);
          }
        } finally {
          threads.dispose();
        }
      }
    }),
  );
}
