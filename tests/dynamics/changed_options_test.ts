// A run that goes on from a checkpoint with other options, or with another batch, says so.
import { assertEquals } from "@std/assert";
import { type Dynamics, FIRE, fuse, NPT, NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { ARGON, argon, crystals } from "./atoms.ts";
import { Batch } from "../../src/batch/mod.ts";

type Make = (dt: number, other: number, onWarning?: (warning: unknown) => void) => Dynamics;

const place = { model: ARGON, device: "reference" } as const;
const options = (onWarning?: (warning: unknown) => void) => ({
  ...place,
  ...onWarning && { onWarning },
});

const ENGINES: Readonly<Record<string, readonly [Make, string]>> = {
  NVE: [(dt, _other, on) => new NVE({ ...options(on), dt }), "dt was 2 fs and is 4 fs"],
  NVTLangevin: [
    (dt, other, on) =>
      new NVTLangevin({ ...options(on), dt, temperature: 40 * other, friction: 0.02, seed: other }),
    "dt was 2 fs and is 4 fs; temperature was 40 K and is 80 K; seed was 1 and is 2",
  ],
  NPT: [
    (_dt, other, on) =>
      new NPT({
        ...options(on),
        dt: 2,
        temperature: new Float64Array([40 * other]),
        thermostatTime: 100,
        pressure: 0.001 * other,
        barostatTime: 200,
      }),
    "pressure was 0.001 eV/Å³ and is 0.002 eV/Å³; temperature was [40] K and is [80] K",
  ],
  FIRE: [
    (_dt, other, on) => new FIRE({ ...options(on), dt: 0.5, maxStep: 0.1 * other }),
    "maxStep was 0.1 Å and is 0.2 Å",
  ],
  "stages of fused engines": [
    (dt, _other, on) => {
      const whole = fuse(new NVE({ ...place, dt: 1, nSteps: 9 }), new NVE({ ...options(on), dt }));
      return whole;
    },
    "dt of stage 1 was 2 fs and is 4 fs",
  ],
};

/** Returns the warnings of the run of a batch after a state is loaded. */
async function warningsOf(
  make: Make,
  [dt, other]: readonly [number, number],
  saved: Awaited<ReturnType<Dynamics["save"]>>,
  batch?: Batch,
): Promise<readonly string[]> {
  await using md = make(dt, other, () => {});
  const loaded = await md.load(saved);
  await md.run(batch ?? loaded, 1);
  return md.outcome?.warnings ?? [];
}

for (const [name, [make, words]] of Object.entries(ENGINES)) {
  Deno.test(`${name}: other parameters than at the checkpoint are a warning that names both values`, async () => {
    await using md = make(2, 1);
    await md.run(crystals(1), 2);
    const saved = structuredClone(await md.save());
    assertEquals(await warningsOf(make, [2, 1], saved), []);
    assertEquals(await warningsOf(make, [4, 2], saved), [
      `Some options of the run differ from those of its checkpoint: ${words}`,
    ]);
    const { options: _, ...older } = saved;
    assertEquals(await warningsOf(make, [4, 2], older), []);
  });
}

Deno.test("a run of another batch than the one of the checkpoint is a warning", async () => {
  const [make] = ENGINES.NVE!;
  await using md = make(2, 1);
  await md.run(crystals(1), 2);
  const [warning, ...more] = await warningsOf(
    make,
    [2, 1],
    await md.save(),
    Batch.from([argon(1, 1, 0.05)]),
  );
  assertEquals([warning?.split(":")[0], more], [
    "The run does not continue from the checkpoint of step 2",
    [],
  ]);
});
