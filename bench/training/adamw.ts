/**
 * Our side of the fused AdamW: the kernel `adam_step` on the wasm backend, float32, one thread, over as many parameters
 * as a small language model has: `adamw.ts CASE '{"steps"}'` serves turns (bench/peers/serve_turns.ts).
 *
 * @module
 */

import { type Buffer, call, openBackend } from "../../src/backend/mod.ts";
import { adamStep } from "../../src/kernels/learn/adam_step.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { type Done, serveTurns } from "../peers/serve_turns.ts";

/** Number of parameters. Their four arrays take 160 MB, more than caches hold. */
const PARAMETERS = 1e7;
const LR = 1e-3, DECAY = 1e-2, EPS = 1e-8, BETAS = [0.9, 0.999] as const;

/** The settings of the kernel at step t. */
function settingsAt(t: number): number[] {
  const [b1, b2] = BETAS;
  const [c1, c2] = [1 - b1 ** t, 1 - b2 ** t];
  return [b1, 1 - b1, b2, 1 - b2, LR / c1, 1 / Math.sqrt(c2), EPS, 1 - LR * DECAY, 0];
}

/** Parameters, gradients that never change, and what a step does. */
function open() {
  const backend = openBackend("wasm");
  const i32 = (values: number[]) => written("i32", values.length, (i) => values[i]!);
  const written = <D extends "real" | "i32">(
    dtype: D,
    length: number,
    at: (i: number) => number,
  ) => {
    const buffer: Buffer<D> = backend.alloc(dtype, length);
    const view = backend.view(buffer);
    for (let i = 0; i < length; i++) view[i] = at(i);
    return buffer;
  };
  const frame = {
    systems: 1,
    offsets: i32([0, PARAMETERS]),
    active: i32([1]),
    ids: i32([0]),
    ages: i32([0]),
    control: i32(Array(Control.LENGTH).fill(0)),
  };
  const parameters = written("real", PARAMETERS, (i) => i % 97 / 97);
  const gradients = written("real", PARAMETERS, gradientOf);
  const [first, second] = [0, 1].map(() => backend.alloc("real", PARAMETERS)) as [
    Buffer<"real">,
    Buffer<"real">,
  ];
  const settings = backend.alloc("real", settingsAt(1).length);
  const program = backend.prepare(frame, [
    call(adamStep, { parameters, gradients, first, second, settings }),
  ]);
  let t = 0;
  const step = () => {
    backend.write(settings, settingsAt(++t));
    backend.run(program, t, 1);
  };
  return { step, check: () => check(backend.view(parameters), t) };
}

function gradientOf(i: number): number {
  return (i % 7 - 3) * 1e-3;
}

/**
 * Throws an `Error` if parameters differ from the expected result of the steps: each step moves a parameter by `lr`
 * against its gradient.
 */
function check(parameters: ArrayLike<number>, steps: number): void {
  for (const i of [0, 1, 5, 3_000_003, PARAMETERS - 1]) {
    let p = i % 97 / 97;
    for (let t = 1; t <= steps; t++) p = (1 - LR * DECAY) * p - LR * Math.sign(gradientOf(i));
    if (Math.abs(parameters[i]! - p) <= 1e-4) continue;
    throw new Error(
      `Cannot time AdamW: it must be done: parameter ${i} is ${parameters[i]}, not ${p}`,
    );
  }
}

if (import.meta.main) {
  const { steps } = JSON.parse(Deno.args[1]!) as { steps: number };
  const { step, check } = open();
  const turn = (): Done => {
    for (let i = 0; i < steps; i++) step();
    return { events: PARAMETERS * steps };
  };
  turn();
  check();
  await serveTurns({ peer: "hooke", dtype: "float32" }, turn);
}
