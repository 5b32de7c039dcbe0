import type { Backend, Buffer, Program } from "../../src/backend/mod.ts";
import { call } from "../../src/backend/mod.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { kick } from "../../src/kernels/kick.ts";
import { kickDrift } from "../../src/kernels/kick_drift.ts";

/** The updates of velocity Verlet, without forces. */
export interface Updates {
  readonly backend: Backend;
  readonly atoms: number;
  /** Half a kick and a drift. */
  readonly kickDrift: Program;
  /** That, and the other half. */
  readonly verlet: Program;
}

const ATOMS = 100_000;

/** Programs of the numbers and sizes of the peers' kernel.c. One system, whose atoms have a mass each. */
export function updatePrograms(backend: Backend, atoms: number = ATOMS): Updates {
  const filled = <D extends "i32" | "real">(dtype: D, values: ArrayLike<number>): Buffer<D> => {
    const buffer = backend.alloc(dtype, values.length);
    backend.write(buffer, values);
    return buffer;
  };
  const each = (value: (i: number) => number) =>
    Float32Array.from({ length: 3 * atoms }, (_, i) => value(i));
  const frame = {
    systems: 1,
    offsets: filled("i32", [0, atoms]),
    active: filled("i32", [1]),
    ids: filled("i32", [0]),
    ages: filled("i32", [0]),
    control: filled("i32", new Int32Array(Control.LENGTH)),
  };
  const args = {
    velocities: filled("real", each((i) => (i % 13) * 1e-3)),
    forces: filled("real", each((i) => (i % 7 - 3) * 1e-3)),
    weights: filled("real", new Float32Array(atoms).fill(2e-3)),
    dt: filled("real", [1e-3]),
  };
  const positions = filled("real", each((i) => i % 97));
  const first = call(kickDrift, { positions, ...args }), second = call(kick, args);
  return {
    backend,
    atoms,
    kickDrift: backend.prepare(frame, [first]),
    verlet: backend.prepare(frame, [first, second]),
  };
}
