/**
 * Test cases for reports of diverged systems on any backend.
 *
 * @module
 */

import { type Backend, call, type KernelCall } from "../../backend/backend.ts";
import { advance } from "../../kernels/integrate/advance.ts";
import { checkFinite } from "../../kernels/check_finite.ts";
import { Control } from "../../kernels/kernel.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { claim, onBackend } from "../claims.ts";
import { Lab } from "../lab.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import type { TestCase } from "./test_case.ts";

/** Values of `Control.CAUSE`. */
const [POSITION, VELOCITY] = [0, 3];

/** Returns cases which check that all backends report the same one of several diverged systems. */
export function divergedCases(open: MakeBackend): TestCase[] {
  return [
    onBackend(
      open,
      "of the systems that diverge in a step, the one with the lowest index is reported, whichever kernel finds it",
      lowest,
    ),
    onBackend(
      open,
      "a system that diverged in an earlier step stays reported, and nothing runs until the report is reset",
      earlier,
    ),
  ];
}

/** Sets up three systems of one atom, and calls that find a system by its position or by its velocity. */
function three(backend: Backend) {
  const lab = new Lab(backend, [1, 1, 1]);
  const positions = lab.real(Array(9).fill(0), "node");
  const velocities = lab.real(Array(9).fill(0), "node");
  const cell = lab.real(Array(27).fill(0), "system"), pbc = lab.i32(Array(9).fill(0), "system");
  const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  return {
    lab,
    byPosition: call(neighbors, { pairs, positions, cell, pbc }),
    byVelocity: call(checkFinite, { velocities }),
    /** Makes the positions and velocities of these systems not finite, and those of all others finite. */
    spoil(position: readonly number[], velocity: readonly number[]) {
      const valuesOf = (systems: readonly number[]) =>
        Array.from({ length: 9 }, (_, i) => systems.includes(Math.floor(i / 3)) ? NaN : 0);
      backend.write(positions, valuesOf(position));
      backend.write(velocities, valuesOf(velocity));
    },
  };
}

async function reports(lab: Lab, system: number, cause: number): Promise<void> {
  const control = await lab.read(lab.frame.control);
  const [found, by] = [control[Control.DIVERGED]! - 1, control[Control.CAUSE]!];
  claim(
    found === system && by === cause,
    () => `System ${system} must be reported with cause ${cause}; got ${found} with ${by}`,
  );
}

async function lowest(backend: Backend): Promise<void> {
  const { lab, byPosition, byVelocity, spoil } = three(backend);
  const tries: readonly (readonly [KernelCall[], number[], number[], number, number])[] = [
    [[byPosition, byVelocity], [2, 1], [], 1, POSITION],
    [[byPosition, byVelocity], [], [2, 0], 0, VELOCITY],
    [[byPosition, byVelocity], [2], [1], 1, VELOCITY],
    [[byPosition, byVelocity], [0], [2, 1], 0, POSITION],
    [[byVelocity, byPosition], [1], [2], 1, POSITION],
    [[byVelocity, byPosition], [2], [0], 0, VELOCITY],
    // The first cause of a system stays.
    [[byPosition, byVelocity], [1], [1], 1, POSITION],
    [[byVelocity, byPosition], [1, 2], [1], 1, VELOCITY],
  ];
  for (const [calls, position, velocity, system, cause] of tries) {
    backend.write(lab.frame.control, Array(Control.LENGTH).fill(0));
    spoil(position, velocity);
    const done = await lab.run(calls, 3);
    claim(done === 1, () => `A run in whose first step systems diverge did ${done} steps, not 1`);
    await reports(lab, system, cause);
  }
}

async function earlier(backend: Backend): Promise<void> {
  const { lab, byVelocity, spoil } = three(backend);
  const program = backend.prepare(lab.frame, [byVelocity, call(advance, {})]);
  spoil([], [2]);
  await backend.run(program, 0, 2);
  spoil([], [2, 0]);
  const done = await backend.run(program, 1, 2);
  claim(done === 0, () => `A run after a divergence did ${done} steps, not 0`);
  await reports(lab, 2, VELOCITY);
  const [, , age] = await lab.read(lab.frame.ages);
  claim(age === 1, () => `The diverged system has the age ${age}, not 1`);
  backend.write(lab.frame.control, Array(Control.LENGTH).fill(0));
  claim(await backend.run(program, 1, 2) === 1, () => "A run after a reset must do a step");
  await reports(lab, 0, VELOCITY);
}
