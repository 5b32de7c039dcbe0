/** Trials of kernels for constraints on atoms, centers of mass and bonds. */
import { call } from "../../backend/backend.ts";
import { creditBath } from "../../kernels/thermostats/credit_bath.ts";
import { holdCenter } from "../../kernels/constrain/hold_center.ts";
import { rattle } from "../../kernels/constrain/rattle.ts";
import { remember } from "../../kernels/remember.ts";
import { shake } from "../../kernels/constrain/shake.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { type Member, seed, type World } from "../world.ts";

/** Returns the bonds of clusters: triangles of three atoms, and a single bond if two atoms remain. */
function trianglesOf({ size }: Member): number[][][] {
  const places = Array.from({ length: Math.ceil(size / 3) }, (_, i) => 3 * i);
  return places.map((i) => [[i, i + 1], [i + 1, i + 2], [i, i + 2]].filter(([, j]) => j! < size))
    .filter((cluster) => cluster.length > 0);
}

function bondsOf(world: World) {
  const { lab, members } = world;
  const starts = [0], clusters = [0], bonds: number[] = [];
  for (const member of members) {
    for (const cluster of trianglesOf(member)) {
      bonds.push(...cluster.flat());
      clusters.push(bonds.length / 2);
    }
    starts.push(clusters.length - 1);
  }
  return {
    starts: lab.i32(starts, "starts"),
    clusters: lab.i32(clusters, "all"),
    bonds: lab.i32(bonds, "all"),
    held: world.atoms(
      "i32",
      1,
      ({ size }) => Array.from({ length: size }, (_, i) => i % 9 ? 0 : 5),
    ),
    weights: world.atom("weights"),
    cell: world.system("cell"),
    pbc: world.whole("pbc"),
    tolerance: 1e-6,
    most: 500,
  };
}

/** Returns the corners of triangles with sides of about 1 Å, one triangle for every three atoms. */
function corners({ size, id }: Member): number[] {
  const noise = normals(3 * size, seed(80, id), 0.05);
  return noise.map((off, i) => {
    const [atom, axis] = [Math.floor(i / 3), i % 3];
    const place = [[0, 0, 0], [1, 0.1, 0], [0.4, 0.9, 0.2]][atom % 3]![axis]!;
    return Math.fround(place + off + (axis === 0 ? 0.01 * atom : 0));
  });
}

/** Trials of constraints, by kernel. */
export const CONSTRAIN: Trials = {
  remember(world) {
    const [source, target] = [world.atom("positions"), world.atom("anchors")];
    return { calls: [call(remember, { source, target })], looks: { target } };
  },
  credit_bath(world) {
    const velocities = world.atom("velocities"), weights = world.atom("weights");
    const before = world.atoms("real", 3, ({ size, id }) => normals(3 * size, seed(82, id), 1e-2));
    const bathEnergy = world.systems("f64", 1, ({ id }) => [id]);
    return {
      calls: [call(creditBath, { velocities, before, weights, bathEnergy })],
      looks: { bathEnergy },
    };
  },
  hold_center(world) {
    const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
    const forces = world.atom("forces"), masses = world.atom("masses"), low = world.atom("low");
    const [before, held] = [world.atom("anchors"), world.whole("frozen")];
    return {
      calls: [
        call(holdCenter, { vectors: positions, before, low, masses }),
        call(holdCenter, { vectors: velocities, masses, held }),
        call(holdCenter, { vectors: forces, masses, shares: masses }),
      ],
      looks: { positions, velocities, forces },
    };
  },
  shake(world) {
    const positions = world.atoms("real", 3, (member) => {
      const noise = normals(3 * member.size, seed(81, member.id), 0.02);
      return corners(member).map((x, i) => Math.fround(x + noise[i]!));
    });
    const velocities = world.atoms("real", 3, ({ size }) => new Float64Array(3 * size));
    const width = Math.max(1, ...world.members.map((member) => trianglesOf(member).flat().length));
    const lengths = world.systems("f64", width, () => new Float64Array(width).fill(1));
    const args = {
      ...bondsOf(world),
      positions,
      velocities,
      lengths,
      width,
      before: world.atoms("real", 3, corners),
      low: world.atom("low"),
      dt: world.system("dt"),
      lowBefore: world.atoms("real", 3, ({ size }) => new Float64Array(3 * size)),
      fraction: 0.5,
    };
    return { calls: [call(shake, args)], looks: { positions, velocities } };
  },
  rattle(world) {
    const velocities = world.atom("velocities");
    const positions = world.atoms("real", 3, corners);
    const args = { ...bondsOf(world), vectors: velocities, positions, low: world.atom("low") };
    return { calls: [call(rattle, args)], looks: { velocities } };
  },
};
