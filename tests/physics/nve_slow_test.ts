/** The energy of long runs. */
import { assertLess } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { on, PAIR_BACKENDS } from "../dynamics/backends.ts";
import { aseFrames, drift } from "./nve_case.ts";

Deno.test(
  "NVE of 108 atoms over 10 ps keeps the energy per atom within 2.2e-7 eV",
  on(PAIR_BACKENDS, async (backend) => {
    const [first] = await aseFrames(108);
    const off = await drift(Batch.from([first!]), backend, { dt: 1, steps: 10_000 });
    assertLess(off, 2.2e-7);
  }),
);
