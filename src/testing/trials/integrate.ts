/** Trials of kernels that integrate equations of motion. */
import { call } from "../../backend/backend.ts";
import { advance } from "../../kernels/integrate/advance.ts";
import { drift } from "../../kernels/integrate/drift.ts";
import { kick } from "../../kernels/integrate/kick.ts";
import { kickDrift } from "../../kernels/integrate/kick_drift.ts";
import { noseHoover } from "../../kernels/thermostats/nose_hoover.ts";
import { velocityRescale } from "../../kernels/thermostats/velocity_rescale.ts";
import { thermalize } from "../../kernels/thermostats/thermalize.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { seed } from "../world.ts";

/** Trials of integrators and thermostats, by kernel. */
export const INTEGRATE: Trials = {
  kick(world) {
    const velocities = world.atom("velocities");
    const args = { velocities, forces: world.atom("forces"), weights: world.atom("weights") };
    return { calls: [call(kick, { ...args, dt: world.system("dt") })], looks: { velocities } };
  },
  kick_drift(world) {
    const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
    const args = {
      positions,
      velocities,
      forces: world.atom("forces"),
      weights: world.atom("weights"),
      dt: world.system("dt"),
      low: world.atom("low"),
    };
    return { calls: [call(kickDrift, args)], looks: { positions, velocities } };
  },
  drift(world) {
    const positions = world.atom("positions");
    const args = { positions, velocities: world.atom("velocities"), dt: world.system("dt") };
    return { calls: [call(drift, { ...args, fraction: 0.75 })], looks: { positions } };
  },
  thermalize(world) {
    const velocities = world.atom("velocities");
    const bathEnergy = world.systems("f64", 1, ({ id }) => [0.1 * id]);
    const args = {
      velocities,
      weights: world.atom("weights"),
      dt: world.system("dt"),
      bathEnergy,
      temperature: world.system("temperature"),
      friction: world.system("friction"),
      seedLow: 0xfedcba98,
      seedHigh: 3,
    };
    return { calls: [call(thermalize, args)], looks: { velocities, bathEnergy } };
  },
  velocity_rescale(world) {
    const velocities = world.atom("velocities");
    const bathEnergy = world.systems("f64", 1, ({ id }) => [0.1 * id]);
    const step = call(velocityRescale, {
      velocities,
      weights: world.atom("weights"),
      dt: world.system("dt"),
      temperature: world.system("temperature"),
      time: world.systems("real", 1, ({ id }) => [1 + id % 16]),
      freedom: world.systems("i32", 1, ({ size, id }) => [Math.max(0, 3 * size - id % 4)]),
      bathEnergy,
      seedLow: 0xfedcba98,
      seedHigh: 3,
    });
    return { calls: [step], looks: { velocities, bathEnergy } };
  },
  nose_hoover(world) {
    const [velocities, bathEnergy] = [world.atom("velocities"), world.systems("f64", 1, () => [1])];
    const eta = world.systems("f64", 3, ({ id }) => normals(3, seed(40, id), 0.1));
    const etaDot = world.systems("f64", 3, ({ id }) => normals(3, seed(41, id), 0.02));
    const step = call(noseHoover, {
      velocities,
      weights: world.atom("weights"),
      dt: world.system("dt"),
      temperature: world.system("temperature"),
      time: world.systems("real", 1, ({ id }) => [10 + id % 16]),
      freedom: world.systems("i32", 1, ({ size, id }) => [Math.max(0, 3 * size - id % 2 * 3)]),
      eta,
      etaDot,
      bathEnergy,
      length: 3,
      parts: 5,
    });
    return { calls: [step, step], looks: { velocities, eta, etaDot, bathEnergy } };
  },
  advance: ({ lab: { frame } }) => ({ calls: [call(advance, {})], looks: { ages: frame.ages } }),
};
