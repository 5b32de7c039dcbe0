/**
 * Test cases for programs on any backend.
 *
 * @module
 */

import { type Backend, type Buffer, call, type Program } from "../../backend/backend.ts";
import { advance } from "../../kernels/integrate/advance.ts";
import { drift } from "../../kernels/integrate/drift.ts";
import { graduate } from "../../kernels/converge/graduate.ts";
import { Control, defineKernel } from "../../kernels/kernel.ts";
import { assertSameBits } from "../assert_near.ts";
import { claim, onBackend } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import { Lab } from "../lab.ts";
import type { TestCase } from "./test_case.ts";

/** Returns cases which check that a program runs its calls in order, at the steps they are due, until a halt. */
export function programCases(open: MakeBackend): TestCase[] {
  return [
    onBackend(
      open,
      "a program runs all its calls in each step, and returns the number of steps",
      steps,
    ),
    onBackend(open, "the calls of a step run in order", order),
    onBackend(open, "a call runs only where step % every === phase, beyond 2^31, too", times),
    onBackend(open, "a run ends after the step that halts it, and the next does not", halts),
    onBackend(open, "programs are independent, whichever is freed", several),
    onBackend(open, "batches without systems or without atoms run", empty),
    onBackend(open, "an unknown kernel is rejected by name, or supported", unknown),
  ];
}

/** Sets up two systems, of one and of two atoms, and the call that moves their atoms by 1 and by 2 in each step. */
function moving(backend: Backend) {
  const lab = new Lab(backend, [1, 2], { ages: [0, 10] });
  const positions = lab.real(Array(9).fill(0), "node");
  const args = {
    positions,
    velocities: lab.real(Array(9).fill(1), "node"),
    dt: lab.real([1, 2], "system"),
  };
  return { lab, positions, move: call(drift, { ...args, fraction: 1 }) };
}

async function holds(backend: Backend, buffer: Buffer, values: readonly number[]): Promise<void> {
  assertSameBits(await backend.read(buffer), values);
}

function did(done: number, expected: number): void {
  claim(done === expected, () => `A run returned ${done} steps, not ${expected}`);
}

async function steps(backend: Backend): Promise<void> {
  const { lab: { frame }, positions, move } = moving(backend);
  const program = backend.prepare(frame, [move, call(advance, {})]);
  claim(program.length === 2, () => `A program of 2 calls has length ${program.length}`);
  did(await backend.run(program, 0, 3), 3);
  await holds(backend, positions, [3, 3, 3, 6, 6, 6, 6, 6, 6]);
  await holds(backend, frame.ages, [3, 13]);
  did(await backend.run(program, 3, 0), 0);
  backend.write(frame.active, [1, 0]);
  did(await backend.run(program, 3, 2), 2);
  await holds(backend, positions, [5, 5, 5, 6, 6, 6, 6, 6, 6]);
  await holds(backend, frame.ages, [5, 13]);
  // A write between two runs must be visible to the second run, even if the first is not awaited.
  backend.write(positions, [0]);
  void backend.run(program, 5, 1);
  backend.write(positions, [100]);
  void backend.run(program, 6, 1);
  await holds(backend, positions, [101, 7, 7, 6, 6, 6, 6, 6, 6]);
  program.free();
}

async function order(backend: Backend): Promise<void> {
  const { lab, positions } = moving(backend);
  const [a, b] = [positions, lab.real(Array(9).fill(1), "node")];
  const dt = lab.real([1, 1], "system");
  // Each call adds the other number to its own. In any other order the results are not Fibonacci numbers.
  await lab.run([
    call(drift, { positions: a, velocities: b, dt, fraction: 1 }),
    call(drift, { positions: b, velocities: a, dt, fraction: 1 }),
  ], 5);
  await holds(backend, a, Array(9).fill(55));
  await holds(backend, b, Array(9).fill(89));
}

async function times(backend: Backend): Promise<void> {
  const { lab: { frame } } = moving(backend);
  const program = backend.prepare(frame, [call(advance, {}, { every: 3, phase: 1 })]);
  const tries = [[0, 1, 0], [1, 1, 1], [0, 9, 3], [2, 2, 0], [2, 3, 1], [3_000_000_001, 1, 1]];
  for (const [first, steps, age] of tries as [number, number, number][]) {
    backend.write(frame.ages, [0, 0]);
    did(await backend.run(program, first, steps), steps);
    await holds(backend, frame.ages, [age, age]);
  }
}

async function halts(backend: Backend): Promise<void> {
  const { lab, lab: { frame } } = moving(backend);
  const [met, converged, status] = [[0, 1], [0, 0], [0, 0]].map((values) =>
    lab.i32(values, "system")
  ) as [Buffer<"i32">, Buffer<"i32">, Buffer<"i32">];
  const args = { met, converged, status, source: -1, target: 1, stop: 1 };
  const done = call(graduate, args, { every: 4, phase: 2 });
  const program = backend.prepare(frame, [call(advance, {}), done]);
  did(await backend.run(program, 0, 100), 3);
  await holds(backend, frame.ages, [3, 13]);
  await holds(backend, frame.active, [1, 0]);
  const control = await backend.read(frame.control);
  claim(control[Control.HALT] !== 0, () => "A run that was halted left HALT at 0");
  backend.write(met, [0, 0]);
  did(await backend.run(program, 3, 2), 2);
  await holds(backend, frame.ages, [5, 13]);
  // Queue two runs: convergence is tested at step 6, and `met` is 1 from then on; by step 10 the other system has
  // converged, too.
  const runs = [backend.run(program, 5, 2), backend.run(program, 7, 10)];
  const [first, second] = await Promise.all(runs);
  did(first!, 2);
  did(second!, 4);
  await holds(backend, frame.ages, [11, 13]);
  await holds(backend, frame.active, [0, 0]);
}

async function several(backend: Backend): Promise<void> {
  const [one, other] = [moving(backend), moving(backend)];
  const programs = [one, other, one].map(({ lab, move }) => backend.prepare(lab.frame, [move]));
  const [a, b, again] = programs as [Program, Program, Program];
  await backend.run(a, 0, 1);
  a.free();
  await backend.run(b, 0, 2);
  await backend.run(again, 0, 1);
  await holds(backend, one.positions, [2, 2, 2, 4, 4, 4, 4, 4, 4]);
  await holds(backend, other.positions, [2, 2, 2, 4, 4, 4, 4, 4, 4]);
}

async function empty(backend: Backend): Promise<void> {
  for (const sizes of [[], [0], [0, 0, 0]]) {
    const lab = new Lab(backend, sizes);
    const positions = lab.real([], "node"), dt = lab.real(sizes.map(() => 1), "system");
    const move = call(drift, { positions, velocities: lab.real([], "node"), dt, fraction: 1 });
    did(await lab.run([move, call(advance, {})], 4), 4);
    await holds(backend, lab.frame.ages, sizes.map(() => 4));
    did(await lab.run([], 3), 3);
  }
}

async function unknown(backend: Backend): Promise<void> {
  const { lab } = moving(backend);
  const own = defineKernel("of_nobody", {}, (_, { ages }) => void ages.fill(77));
  let message = "";
  try {
    // The reference backend runs the TypeScript definitions, so it knows all kernels.
    await lab.run([call(own, {})]);
  } catch (error) {
    claim(error instanceof TypeError, () => `It must be a TypeError, not ${String(error)}`);
    message = error.message;
  }
  if (message === "") return await holds(backend, lab.frame.ages, [77, 77]);
  claim(message.includes("of_nobody"), () => `The kernel is not named in "${message}"`);
}
