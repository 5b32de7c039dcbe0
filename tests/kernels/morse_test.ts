import { assert, assertAlmostEquals, assertEquals } from "@std/assert";

import { morse } from "../../src/models/pair/morse.ts";
import { ALL_BACKENDS, BACKENDS, openOn, testOn } from "./lab.ts";
import { assertClose, PairBatch, uniform } from "./pair_case.ts";

/** D = 0.5 eV, a = 1.7 1/Å, r₀ = 2.1 Å. */
function row(isShifted = false): number[] {
  return morse.row({ depth: 0.5, width: 1.7, distance: 2.1 }, 7, isShifted);
}

/** D = 0.5 eV, a = 1.7 1/Å, r₀ = 2.1 Å. */
const OPTIONS = { kernel: morse.kernel, parameters: row(), cutoff: 7 } as const;

for (const name of ALL_BACKENDS) {
  const dimer = async (x: number, options: typeof OPTIONS | { parameters: number[] } = OPTIONS) =>
    new PairBatch(await openOn(name), [{ positions: [0, 0, 0, 0, 0, x] }], {
      ...OPTIONS,
      ...options,
    })
      .run();

  testOn(name, `morse() of a dimer, by hand`, async () => {
    assertAlmostEquals((await (await dimer(2.1)).get("energy"))[0]!, -0.5, 1e-6);
    assertAlmostEquals((await (await dimer(2.1)).get("forces"))[2]!, 0, 1e-6);
    for (const r of [0.4, 1, 1.6, 2.5, 3, 5, 6.9]) {
      const q = Math.exp(-1.7 * (r - 2.1));
      const batch = await dimer(r);
      const [energy, force] = [0.5 * ((1 - q) ** 2 - 1), 2 * 1.7 * 0.5 * (1 - q) * q];
      const off = 4e-6 * (q + q * q);
      assertAlmostEquals((await batch.get("energy"))[0]!, energy, off);
      assertAlmostEquals((await batch.get("forces"))[2]!, force, 2 * off);
      assertAlmostEquals((await batch.get("forces"))[5]!, -force, 2 * off);
      assertAlmostEquals((await batch.get("virial"))[8]!, -r * force, 2 * r * off);
    }
    assertEquals(await (await dimer(7.001)).get("energy"), [0]);
  });

  testOn(name, `the energy at the cutoff is taken off each pair`, async () => {
    const shift = 0.5 * ((1 - Math.exp(-1.7 * 4.9)) ** 2 - 1);
    const shifted = (await (await dimer(3, { parameters: row(true) })).get("energy"))[0]!;
    assertAlmostEquals(shifted, (await (await dimer(3)).get("energy"))[0]! - shift, 1e-6);
  });

  testOn(name, `atoms in one place push each other nowhere, and no number is lost`, async () => {
    const positions = [0, 0, 0, 0, 0, 0, 2, 0, 0];
    const batch = new PairBatch(await openOn(name), [{ positions }], OPTIONS).run();
    const [x] = (await batch.get("forces")).slice(6);
    const once = new PairBatch(await openOn(name), [{ positions: positions.slice(3) }], OPTIONS)
      .run();
    assertAlmostEquals(x!, 2 * (await once.get("forces"))[3]!, 1e-5);
  });
}

Deno.test("morse() in float32 is accurate to rounding", async () => {
  const random = uniform(4);
  const system = {
    positions: Array.from({ length: 240 }, () => 12 * random()),
    cell: [12, 0, 0, 0, 12, 0, 0, 0, 12],
  };
  const on = async (name: string) => new PairBatch(await openOn(name), [system], OPTIONS).run();
  const [plain, ...others] = await Promise.all(BACKENDS.map(on));
  for (const what of ["energy", "forces", "virial"] as const) {
    const exact = await plain!.get(what);
    for (const other of others) assertClose(await other.get(what), exact, 1e-5);
  }
  assert((await plain!.get("energy"))[0]! !== 0);
});
