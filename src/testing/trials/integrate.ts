/** Kernels that move atoms in time. */
import { call } from "../../backend/backend.ts";
import { advance } from "../../kernels/advance.ts";
import { drift } from "../../kernels/drift.ts";
import { kick } from "../../kernels/kick.ts";
import { kickDrift } from "../../kernels/kick_drift.ts";
import { thermalize } from "../../kernels/thermalize.ts";
import type { Trials } from "../trial.ts";

/** Kernel → how it is tried. */
export const INTEGRATE: Trials = {
  kick(world) {
    const velocities = world.atom("velocities");
    const args = { velocities, forces: world.atom("forces"), weights: world.atom("weights") };
    return { calls: [call(kick, { ...args, dt: world.system("dt") })], looks: { velocities } };
  },
  kick_drift(world) {
    const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
    const args = {
      ...{ positions, velocities, forces: world.atom("forces") },
      ...{ weights: world.atom("weights"), dt: world.system("dt"), low: world.atom("low") },
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
    const args = {
      ...{ velocities, weights: world.atom("weights"), dt: world.system("dt") },
      ...{ temperature: world.system("temperature"), friction: world.system("friction") },
      ...{ seedLow: 0xfedcba98, seedHigh: 3 },
    };
    return { calls: [call(thermalize, args)], looks: { velocities } };
  },
  advance: ({ lab: { frame } }) => ({ calls: [call(advance, {})], looks: { ages: frame.ages } }),
};
