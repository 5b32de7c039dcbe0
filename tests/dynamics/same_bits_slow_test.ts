/** A system has the same bits in each way there is of running it, on each backend and on threads, for longer. */
import { type Backend, openThreads } from "../../src/backend/mod.ts";
import { WasmBackend } from "../../src/backend/wasm/wasm_backend.ts";
import { onEnginesAndGpu } from "./on_engines.ts";
import { alone, assertSameWay, ENGINES, type Trial, WAYS } from "./same_bits.ts";

const STEPS = { reference: 50, wasm: 200, webgpu: 20 };
const ALL = Object.keys(WAYS);

/** Other backends of the kernels in WebAssembly. */
const OTHERS: readonly (() => Backend)[] = [
  () => new WasmBackend({ blockAtoms: 1 }),
  () => new WasmBackend({ blockAtoms: 100 }),
  () => openThreads(2),
  () => openThreads(3),
];

/**
 * Some of the ways of running, for the engine of this number. How a batch is filled, resumed and looked at is the same
 * code for all engines and backends. Each engine is therefore tried in every way on one backend, and in some ways on the
 * others: over all engines each way is tried on each backend, twice at least.
 */
function waysOf(engine: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => ALL[(engine * count + i) % ALL.length]!);
}

async function assertSameWays(
  trial: Trial,
  ways: readonly string[],
  expected: Awaited<ReturnType<typeof alone>>,
): Promise<void> {
  for (const way of ways) await assertSameWay(trial, way, expected);
}

for (const [i, [name, row]] of Object.entries(ENGINES).entries()) {
  Deno.test(
    `${name}: one system has the same bits in each way of running it, on threads and in blocks too`,
    onEnginesAndGpu(async (backend, device) => {
      const trial = { row, backend, steps: STEPS[device] };
      const expected = await alone(trial);
      await assertSameWays(trial, device === "wasm" ? ALL : waysOf(i, 3), expected);
      if (device !== "wasm") return;
      for (const [j, open] of OTHERS.entries()) {
        const other = open();
        try {
          // Each of them in another way, so that the engines have each in each.
          await assertSameWays({ ...trial, backend: other }, waysOf(i + 3 * j, 1), expected);
        } finally {
          other.dispose();
        }
      }
    }),
  );
}
