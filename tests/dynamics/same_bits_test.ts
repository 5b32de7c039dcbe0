/** A system has the same bits alone, in any place, joining late, on threads, observed, in blocks and resumed. */
import { assertEquals } from "@std/assert";
import { openThreads } from "../../src/backend/mod.ts";
import { WasmBackend } from "../../src/backend/wasm/wasm_backend.ts";
import { ARGON } from "./atoms.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { fast, pairsOf, rowsOf, test } from "../suite.ts";
import { BACKENDS, gpu } from "./backends.ts";
import { alone, assertSameWay, ENGINES } from "./same_bits.ts";
import { untestedEngines } from "./untested_engines.ts";

const ON_HOST = [
  "in slot 0",
  "in slot 63",
  "observed",
  "resumed",
  "admitted late",
  "admitted late, to a place that is free",
];
const WAYS_ON = {
  reference: ON_HOST,
  wasm: [...ON_HOST, "on two threads", "in blocks"],
  webgpu: ["in slot 63", "resumed"],
};
const STEPS = { reference: 10, wasm: 100, webgpu: 15 };

interface Trial {
  readonly engine: string;
  readonly device: keyof typeof WAYS_ON;
  readonly way: string;
}

const TRIALS: readonly Trial[] = Object.keys(ENGINES).flatMap((engine) =>
  [...BACKENDS, "webgpu" as const].flatMap((device) =>
    WAYS_ON[device].map((way) => ({ engine, device, way }))
  )
);

/** Trials of the fast suite on a GPU: an engine, and one with cells or with constraints. */
function kindsOf(engine: string): string[] {
  return [engine.split(/[ ,]/)[0]!, ...engine.match(/cells|held/g) ?? []];
}

// Each engine on each backend, but one of a kind on a GPU; and each way of running on each backend. Every engine in
// every way, for more steps, is in same_bits_slow_test.ts.
const chosen = rowsOf(TRIALS, {
  keys: ({ engine, device, way }) => {
    const kinds = ENGINES[engine]!.isFused ? ["stages"] : kindsOf(engine);
    const all = device === "webgpu" ? kinds : [engine];
    return [...all.flatMap((kind) => pairsOf(kind, device)), ...pairsOf(way, device)];
  },
}, "fast");

async function assertSame({ engine, device, way }: Trial): Promise<void> {
  const backend = device === "webgpu" ? gpu! : device;
  const trial = { row: ENGINES[engine]!, backend, steps: STEPS[device] };
  const expected = await alone(trial);
  if (way === "in blocks") {
    const blocks = new WasmBackend({ blockAtoms: 1 });
    await assertSameWay({ ...trial, backend: blocks }, "in slot 63", expected);
    return blocks.dispose();
  }
  if (way !== "on two threads") return await assertSameWay(trial, way, expected);
  const threads = openThreads(2);
  try {
    await assertSameWay({ ...trial, backend: threads }, "among few", expected);
  } finally {
    threads.dispose();
  }
}

for (const trial of chosen) {
  const { engine, device, way } = trial;
  const run = () => assertSame(trial);
  if (device === "webgpu") {
    fast(testOnGpu)(`${engine}, webgpu: the same bits alone and ${way}`, run);
  } else {
    test(`${engine}, ${device}: the same bits alone and ${way}`, run);
  }
}

test("each engine that there is has the same bits", () => {
  const tried = Object.values(ENGINES).map(({ make }) => make({ model: ARGON }));
  assertEquals(untestedEngines(tried), []);
});
