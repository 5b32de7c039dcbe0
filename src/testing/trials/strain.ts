/** Trials of kernels for barostats. */
import { call } from "../../backend/backend.ts";
import { barostatChain } from "../../kernels/barostats/barostat_chain.ts";
import {
  barostatKick,
  BarostatParameter,
  Coupling,
} from "../../kernels/barostats/barostat_kick.ts";
import { strainedDrift } from "../../kernels/barostats/strained_drift.ts";
import { strainedKick } from "../../kernels/barostats/strained_kick.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { cellOf, type Member, seed, type World } from "../world.ts";

/**
 * Returns parameters of a barostat: a dt that depends on the parity of the id, a pressure, and an inertia for which
 * the change of the strain rate is about as large as the rate.
 */
function parametersOf({ id, size }: Member): number[] {
  const row = new Array(BarostatParameter.LENGTH).fill(0);
  row[BarostatParameter.DT] = 0.5 + id % 2;
  row[BarostatParameter.PRESSURE] = 0.01 * (1 + id % 3);
  row[BarostatParameter.KT] = 0.01 * (1 + size);
  row[BarostatParameter.TIME] = 300;
  return row;
}

function rateOf({ id }: Member): number[] {
  const [xx, yy, zz, xy, xz, yz] = normals(6, seed(20, id), 1e-3);
  return [xx!, xy!, xz!, xy!, yy!, yz!, xz!, yz!, zz!];
}

function strained(world: World) {
  return {
    rate: world.systems("f64", 9, rateOf),
    freedom: world.systems("i32", 1, ({ size }) => [Math.max(0, 3 * size - 3)]),
    cellLow: world.systems("f64", 9, ({ id }) => normals(9, seed(21, id), 1e-7)),
    velocities: world.atom("velocities"),
    dt: world.system("dt"),
  };
}

/** Trials of barostats, by kernel. */
export const STRAIN: Trials = {
  barostat_kick(world) {
    const { dt: _, rate, ...all } = strained(world);
    const args = {
      ...all,
      weights: world.atom("weights"),
      cell: world.system("cell"),
      parameters: world.systems("f64", BarostatParameter.LENGTH, parametersOf),
      virial: world.systems("f64", 9, ({ id, size }) => normals(9, seed(22, id), size)),
    };
    const kick = (coupling: number, rate: typeof all.cellLow) => {
      const bathEnergy = world.systems("f64", 1, () => [0]);
      return {
        call: call(barostatKick, { ...args, rate, bathEnergy, coupling }),
        bathEnergy,
        rate,
      };
    };
    const iso = kick(
      Coupling.ISOTROPIC,
      world.systems("f64", 9, ({ id }) => {
        const [each] = normals(1, seed(23, id), 1e-3);
        return [each!, 0, 0, 0, each!, 0, 0, 0, each!];
      }),
    );
    const aniso = kick(Coupling.ANISOTROPIC, world.systems("f64", 9, rateOf));
    const full = kick(Coupling.TRICLINIC, rate);
    return {
      calls: [iso.call, aniso.call, full.call],
      looks: {
        isotropic: iso.rate,
        anisotropic: aniso.rate,
        triclinic: full.rate,
        energy: iso.bathEnergy,
        triclinicEnergy: full.bathEnergy,
      },
    };
  },
  barostat_chain(world) {
    const { rate, freedom } = strained(world);
    const eta = world.systems("f64", 3, ({ id }) => normals(3, seed(24, id), 0.1));
    const etaDot = world.systems("f64", 3, ({ id }) => normals(3, seed(25, id), 2e-3));
    const bathEnergy = world.systems("f64", 1, () => [1]);
    const step = call(barostatChain, {
      parameters: world.systems("f64", BarostatParameter.LENGTH, parametersOf),
      others: world.systems("f64", 1, ({ id }) => [0.25 * id]),
      rate,
      freedom,
      eta,
      etaDot,
      bathEnergy,
      coupling: Coupling.TRICLINIC,
      length: 3,
      parts: 3,
    });
    return { calls: [step, step], looks: { rate, eta, etaDot, bathEnergy } };
  },
  strained_kick(world) {
    const { cellLow: _, ...all } = strained(world);
    const args = { ...all, forces: world.atom("forces"), weights: world.atom("weights") };
    return { calls: [call(strainedKick, args)], looks: { velocities: all.velocities } };
  },
  strained_drift(world) {
    const { freedom: _, ...all } = strained(world);
    const [positions, cell] = [world.atom("positions"), world.systems("real", 9, cellOf)];
    const low = world.atom("low");
    return {
      calls: [call(strainedDrift, { ...all, positions, cell, low })],
      looks: { positions, cell },
    };
  },
};
