/** Trials of kernels for optimizers. Each atom stands for one parameter. */
import type { Buffer } from "../../backend/backend.ts";
import { call } from "../../backend/backend.ts";
import { adamStep } from "../../kernels/learn/adam_step.ts";
import { clipNorm } from "../../kernels/learn/clip_norm.ts";
import { clipValues } from "../../kernels/learn/clip_values.ts";
import { mix } from "../../kernels/mix.ts";
import { scaleByAdam } from "../../kernels/learn/scale_by_adam.ts";
import { scaleByLion } from "../../kernels/learn/scale_by_lion.ts";
import { scaleByMomentum } from "../../kernels/learn/scale_by_momentum.ts";
import { sumSquares } from "../../kernels/learn/sum_squares.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { type Member, seed, type World } from "../world.ts";

/** Returns a buffer with a normally distributed number per atom; different `kind`s give different numbers. */
function numbers(world: World, kind: number): Buffer<"real"> {
  return world.atoms("real", 1, ({ size, id }) => normals(size, seed(60 + kind, id)));
}

/** Returns a buffer with a second moment per atom; second moments are not negative. */
function positives(world: World): Buffer<"real"> {
  const squared = ({ size, id }: Member) =>
    normals(size, seed(70, id), 0.1).map((x) => Math.fround(x * x));
  return world.atoms("real", 1, squared);
}

/** Returns a buffer with a row of float32 settings per system, computed from the system's id. */
function rows(world: World, row: (id: number) => readonly number[]): Buffer<"real"> {
  return world.systems("real", row(0).length, ({ id }) => row(id).map(Math.fround));
}

/**
 * Returns a buffer with a square per system. The sum of the squares is exactly 16 in any batch: each of the first six
 * is half of the remainder, and the last one is the rest.
 */
function sharesOf16(world: World): Buffer<"f64"> {
  const last = world.members.length - 1;
  let at = 0, left = 16;
  return world.systems("f64", 1, () => {
    const share = at === last ? left : at < 6 ? left / 2 : 0;
    at++;
    left -= share;
    return [share];
  });
}

/** Trials of optimizers, by kernel. Optimizers with state run two steps, so that their state is tested, too. */
export const LEARN: Trials = {
  mix(world) {
    const [target, source] = [numbers(world, 0), numbers(world, 1)];
    const keep = world.systems("real", 1, ({ id }) => [1 - id % 8 / 16]);
    const take = world.systems("real", 1, ({ id }) => [id % 7 / 4 - 0.5]);
    return { calls: [call(mix, { target, source, keep, take })], looks: { target } };
  },
  sum_squares(world) {
    const squares = world.systems("f64", 1, () => [1]);
    const args = { values: numbers(world, 0), squares };
    return { calls: [call(sumSquares, args)], looks: { squares }, always: ["squares"] };
  },
  clip_norm(world) {
    const [values, small] = [numbers(world, 0), numbers(world, 1)];
    const squares = sharesOf16(world);
    const [near, far] = [world.lab.real([0.75], "all"), world.lab.real([4.5], "all")];
    return {
      calls: [
        call(clipNorm, { values, squares, limit: near }),
        call(clipNorm, { values: small, squares, limit: far }),
      ],
      looks: { values, small },
    };
  },
  clip_values(world) {
    const values = numbers(world, 0);
    const limit = world.lab.real([0.75], "all");
    return { calls: [call(clipValues, { values, limit })], looks: { values } };
  },
  scale_by_adam(world) {
    const [updates, first, second] = [numbers(world, 0), numbers(world, 1), positives(world)];
    const settings = rows(
      world,
      (id) => [0.9 - id % 4 / 8, 0.1 + id % 4 / 8, 0.99, 0.01, 2.5, 4, 1e-3],
    );
    const step = call(scaleByAdam, { updates, first, second, settings });
    return { calls: [step, step], looks: { updates, first, second } };
  },
  scale_by_momentum(world) {
    const [updates, trace] = [numbers(world, 0), numbers(world, 1)];
    const settings = rows(world, (id) => [0.9 - id % 4 / 8, 1 - id % 3 / 4, id % 2]);
    const step = call(scaleByMomentum, { updates, trace, settings });
    return { calls: [step, step], looks: { updates, trace } };
  },
  scale_by_lion(world) {
    const [updates, trace] = [numbers(world, 0), numbers(world, 1)];
    const settings = rows(world, (id) => [0.875, 0.125, 0.99 - id % 4 / 8, 0.01 + id % 4 / 8]);
    const step = call(scaleByLion, { updates, trace, settings });
    return { calls: [step, step], looks: { updates, trace } };
  },
  adam_step(world) {
    const [parameters, gradients] = [numbers(world, 0), numbers(world, 1)];
    const [first, second] = [numbers(world, 2), positives(world)];
    const settings = rows(
      world,
      (id) => [0.9 - id % 4 / 8, 0.1 + id % 4 / 8, 0.99, 0.01, 0.05, 4, 1e-3, 0.99, id % 3 / 8],
    );
    const step = call(adamStep, { parameters, gradients, first, second, settings });
    return { calls: [step, step], looks: { parameters, first, second } };
  },
};
