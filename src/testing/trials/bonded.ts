/** Trials of kernels for external and bonded potentials. */
import { call } from "../../backend/backend.ts";
import { centerBias } from "../../kernels/bonded/center_bias.ts";
import { clear } from "../../kernels/clear.ts";
import { harmonicBonds } from "../../kernels/bonded/harmonic_bonds.ts";
import { tethers } from "../../kernels/bonded/tethers.ts";
import type { Trials } from "../trial.ts";
import type { World } from "../world.ts";
import { sumsOf } from "./sums.ts";

function placeOf(world: World) {
  return {
    positions: world.atom("positions"),
    cell: world.system("cell"),
    images: world.whole("images"),
  };
}

/** Trials of `clear`, and of external and bonded potentials, by kernel. */
export const BONDED: Trials = {
  clear(world) {
    const looks = { ...sumsOf(world) };
    return { calls: [call(clear, looks)], looks };
  },
  tethers(world) {
    const looks = { ...sumsOf(world) };
    const springs = { anchors: world.atom("anchors"), stiffness: world.atom("springs") };
    return { calls: [call(tethers, { ...placeOf(world), ...springs, ...looks, want: 3 })], looks };
  },
  harmonic_bonds(world) {
    const looks = { ...sumsOf(world) };
    const { lab, members } = world;
    // Bonds between consecutive atoms.
    const counts = members.map(({ size }) => Math.max(0, size - 1));
    const starts = [0];
    for (const count of counts) starts.push(starts.at(-1)! + count);
    const bonds = counts.flatMap((count) => Array.from({ length: count }, (_, i) => [i, i + 1]));
    const chain = {
      starts: lab.i32(starts, "starts"),
      bonds: lab.i32(bonds.flat(), "all"),
      shifts: lab.i32(bonds.flatMap(([i]) => [i! % 2, 0, -(i! % 3 % 2)]), "all"),
    };
    const springs = {
      lengths: lab.real(new Float64Array(bonds.length).fill(3), "all"),
      stiffness: lab.real(new Float64Array(bonds.length).fill(Math.fround(0.1)), "all"),
    };
    return {
      calls: [call(harmonicBonds, { ...chain, ...springs, ...placeOf(world), ...looks, want: 3 })],
      looks,
    };
  },
  center_bias(world) {
    const looks = { ...sumsOf(world) };
    const group = {
      masses: world.atom("masses"),
      center: world.system("center"),
      stiffness: world.system("stiffness"),
    };
    return { calls: [call(centerBias, { ...placeOf(world), ...group, ...looks, want: 3 })], looks };
  },
};
