/** Parameters that systems bring along in a field. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import {
  bussi,
  Dynamics,
  fireRelaxer,
  lbfgsRelaxer,
  noseHoover,
  nptIntegrator,
  type PerSystem,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { times } from "../../src/dynamics/integrators/parameters.ts";
import { ARGON, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { test } from "../suite.ts";

Deno.test(
  "a parameter from a field is that of each system, as by place",
  onEngines(async (backend) => {
    const values = [0.5, 1, 2];
    const schemes = [
      (dt: PerSystem) => velocityVerlet({ dt }),
      (dt: PerSystem) => fireRelaxer({ dt }), // in other units within
      (x: PerSystem) =>
        bussi({ dt: 2, temperature: times(x, 40), thermostatTime: times(x, 50), seed: 1 }),
      (x: PerSystem) => noseHoover({ dt: x, temperature: times(x, 40), thermostatTime: 50 }),
      (x: PerSystem) =>
        nptIntegrator({
          dt: 1,
          temperature: times(x, 40),
          pressure: times(x, 1e-3),
          thermostatTime: times(x, 50),
          barostatTime: times(x, 200),
        }),
      (x: PerSystem) =>
        lbfgsRelaxer({ maxStep: times(x, 0.01), cell: { pressure: times(x, 1e-3) } }),
    ];
    for (const scheme of schemes) {
      const [byPlace, byField] = [crystals(3), crystals(3)];
      byField.set("pace", values, { level: "system", dtype: "f64" });
      for (const [batch, dt] of [[byPlace, values], [byField, { field: "pace" }]] as const) {
        await using engine = new Dynamics(scheme(dt), { model: ARGON, ...where(backend) });
        await engine.run(batch, 4);
        await engine.run(batch, 4);
      }
      assertSameBits(bitsOf(byField), bitsOf(byPlace));
      if (byPlace.has("time")) assertEquals(byField.get("time"), byPlace.get("time"));
      // It goes with them, wherever they are.
      const turned = byField.select([2, 0, 1]);
      await using engine = new Dynamics(scheme({ field: "pace" }), {
        model: ARGON,
        ...where(backend),
      });
      await using other = new Dynamics(scheme([2, 0.5, 1]), { model: ARGON, ...where(backend) });
      const again = byPlace.select([2, 0, 1]);
      await engine.run(turned, 3);
      await other.run(again, 3);
      assertSameBits(bitsOf(turned), bitsOf(again));
    }
  }),
);

test("a field that cannot be a parameter is an error that names it", async () => {
  const batch = crystals(2);
  batch.set("pace", [1, 0], { level: "system", dtype: "f64" });
  const run = async (dt: PerSystem, batch: Batch) => {
    await using engine = new Dynamics(velocityVerlet({ dt }), { model: ARGON });
    await engine.run(batch, 1);
  };
  await assertRejects(
    () => run({ field: "pace" }, batch),
    RangeError,
    "dt of system 1 must be above 0 and at most 100 fs; got 0",
  );
  await assertRejects(
    () => run({ field: "positions" }, batch),
    TypeError,
    'dt must name a field of the batch with one number per system; got "positions"',
  );
});
