/** A system has the same bits alone, in any place, joining late, on threads, observed and resumed. */
import { assertEquals } from "@std/assert";
import { openThreads } from "../../src/backend/mod.ts";
import * as dynamics from "../../src/dynamics/mod.ts";
import { ARGON } from "./atoms.ts";
import { onEngines } from "./backends.ts";
import { alone, assertSameWay, ENGINES } from "./same_bits.ts";

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
    `${name}: the same bits alone, in slot 0, in slot 63, admitted at step 500, on 2 threads, observed, resumed`,
    onEngines(async (backend, device) => {
      const trial = { row, backend, steps: STEPS[device] };
      const expected = await alone(trial);
      for (const way of WAYS_ON[device]) {
        await assertSameWay(trial, way, expected);
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

Deno.test("each engine that there is has the same bits", () => {
  const { Dynamics } = dynamics;
  const tried = Object.values(ENGINES).map(({ make }) => make({ model: ARGON }).constructor);
  const missing = Object.values<unknown>(dynamics).filter((one) =>
    typeof one === "function" && one.prototype instanceof Dynamics && !tried.includes(one)
  );
  assertEquals(missing, []);
});
