import { assert, assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { kickDrift } from "../../src/kernels/integrate/kick_drift.ts";
import { Lab, normals, onEach } from "./lab.ts";

onEach(
  "compensated drifts below the last digit of a position add up",
  async (backend) => {
    const lost = backend !== "reference" ? 2 ** -30 : 2 ** -60; // of 1, in the precision of the backend
    for (const isKicked of [true, false]) {
      using lab = await Lab.open(backend, [5]); // four atoms at once, and one by itself
      const n = 15, steps = 4096;
      const positions = lab.real(new Array(n).fill(1)), low = lab.real(new Array(n).fill(0));
      const bare = lab.real(new Array(n).fill(1));
      const velocities = lab.real(new Array(n).fill(lost)), dt = lab.real([1]);
      const still = {
        forces: lab.real(new Array(n).fill(0)),
        weights: lab.real(new Array(5).fill(0)),
      };
      const part = isKicked
        ? (x: typeof bare, l?: typeof low) =>
          call(kickDrift, { positions: x, velocities, ...still, dt, ...(l && { low: l }) })
        : (x: typeof bare, l?: typeof low) =>
          call(drift, { positions: x, velocities, dt, fraction: 1, ...(l && { low: l }) });
      await lab.backend.run(
        lab.backend.prepare(lab.frame, [part(positions, low), part(bare)]),
        0,
        steps,
      );
      assertEquals(await lab.read(bare), new Array(n).fill(1));
      assertEquals(await lab.read(positions), new Array(n).fill(1 + steps * lost));
    }
  },
);

onEach(
  "two adjacent kicks give bitwise identical results joined and separately",
  async (backend) => {
    const sizes = [3, 8, 13];
    const run = async (isJoined: boolean) => {
      using lab = await Lab.open(backend, sizes, { active: [1, 0, 1] });
      const n = 24;
      const state = {
        positions: lab.real(normals(3 * n, 1, 10)),
        velocities: lab.real(normals(3 * n, 2, 1e-2)),
        forces: lab.real(normals(3 * n, 3)),
        weights: lab.real(normals(n, 4).map((x) => 1e-3 * (1 + x * x))),
        dt: lab.real([1, 2, 0.3]),
        low: lab.real(new Array(3 * n).fill(0)),
      };
      const { positions, velocities, low, forces, weights, dt } = state;
      const first = call(kickDrift, state);
      const last = call(kick, { velocities, forces, weights, dt });
      const program = lab.backend.prepare(lab.frame, [first, last, call(advance, {})]);
      if (isJoined) await lab.backend.run(program, 0, 7);
      else for (let step = 0; step < 7; step++) await lab.backend.run(program, step, 1);
      return await lab.readAll([positions, velocities, low, lab.frame.ages]);
    };
    const joined = await run(true);
    assertEquals(joined, await run(false));
    assert(joined[0]!.every(Number.isFinite));
    assertEquals(joined[3], [7, 0, 7]);
  },
);

onEach("kicks of other atoms, or at some steps only, are not joined", async (backend) => {
  const run = async (every: number, isJoined: boolean) => {
    using lab = await Lab.open(backend, [6]);
    const [positions, velocities] = [lab.real(normals(18, 1)), lab.real(normals(18, 2))];
    const [forces, others] = [lab.real(normals(18, 3)), lab.real(normals(18, 5))];
    const [weights, dt] = [lab.real(new Array(6).fill(0.1)), lab.real([1])];
    const program = lab.backend.prepare(lab.frame, [
      call(kickDrift, { positions, velocities, forces, weights, dt }),
      call(kick, { velocities, forces: every === 1 ? others : forces, weights, dt }, { every }),
    ]);
    if (isJoined) await lab.backend.run(program, 0, 5);
    else for (let step = 0; step < 5; step++) await lab.backend.run(program, step, 1);
    return [await lab.read(positions), await lab.read(velocities)];
  };
  for (const every of [1, 2]) assertEquals(await run(every, true), await run(every, false));
});
