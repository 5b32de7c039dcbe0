/**
 * Measures pair potentials, alone and with energies, virials, a switch and several species, and lists of edges and
 * triplets: `deno bench -A bench/kernels_force_bench.ts`. A body is one call of the kernels `neighbors` and
 * `lennard_jones` or `morse` for 4000 atoms at rest, or of `neighbors`, `edges` and, if there are triplets,
 * `triplets`.
 *
 * @module
 */

import { call, type EdgesOptions, openBackend } from "../src/backend/mod.ts";
import { edges as edgesOf } from "../src/kernels/edges/edges.ts";
import { lennardJones } from "../src/models/pair/lennard_jones.ts";
import { buckingham } from "../src/models/pair/buckingham.ts";
import { morse } from "../src/models/pair/morse.ts";
import { type PairKernel, pairKernel } from "../src/kernels/pairs/pair_potential.ts";
import { neighbors } from "../src/kernels/pairs/neighbors.ts";
import { triplets } from "../src/kernels/edges/triplets.ts";
import { ARGON, argon } from "./kernels_force/argon.ts";

const ATOMS = 4000;

const { cutoff, epsilon, sigma } = ARGON;
const LJ = [4 * epsilon * sigma ** 12, 4 * epsilon * sigma ** 6, cutoff ** 2, 0];
const MORSE = morse.row({ depth: epsilon, width: 1.6, distance: sigma * 2 ** (1 / 6) }, cutoff);

const BUCKINGHAM = buckingham.row({ strength: 10_549, length: 0.273, dispersion: 63.7 }, cutoff);

/** A body that is compared with Lennard-Jones forces of one species. */
interface Body {
  readonly kernel?: PairKernel;
  readonly parameters?: readonly number[];
  readonly types?: number;
  readonly switchWidth?: number;
  readonly want?: number;
}

/** The argon on the backend. */
function place() {
  const backend = openBackend("wasm");
  const i32 = (values: readonly number[]) => filled("i32", values);
  const real = (values: readonly number[]) => filled("real", values);
  const filled = <D extends "i32" | "real">(dtype: D, values: readonly number[]) => {
    const buffer = backend.alloc(dtype, values.length);
    backend.write(buffer, values);
    return buffer;
  };
  const { positions: x, edge } = argon(ATOMS, 80, 1);
  const frame = {
    systems: 1,
    offsets: i32([0, ATOMS]),
    active: i32([1]),
    ids: i32([0]),
    ages: i32([0]),
    control: i32([0, 0, 0, 0]),
  };
  const pairs = backend.pairs(frame, { cutoff, skin: 1.5 });
  const at = { positions: real([...x]), cell: real([edge, 0, 0, 0, edge, 0, 0, 0, edge]) };
  return { backend, i32, real, frame, pairs, at, pbc: i32([1, 1, 1]) };
}

function body(
  { kernel = lennardJones.kernel, parameters = LJ, types = 1, ...rest }: Body,
): () => void {
  const { switchWidth = 0, want = 0 } = rest;
  const { backend, i32, real, frame, pairs, at, pbc } = place();
  const step = backend.prepare(frame, [
    call(neighbors, { pairs, ...at, pbc }),
    call(kernel, {
      pairs,
      ...at,
      switchWidth,
      want,
      species: types === 1 ? undefined : i32(Array.from({ length: ATOMS }, (_, i) => i % types)),
      parameters: real(Array(types * types).fill(parameters).flat()),
      forces: backend.alloc("real", 3 * ATOMS),
      energy: backend.alloc("f64", 1),
      virial: backend.alloc("f64", 9),
    }),
  ]);
  return () => void backend.run(step, 0, 1);
}

/** Lists of edges of the argon. */
function listing(options: Pick<EdgesOptions, "isHalf" | "reach">): () => void {
  const { backend, frame, pairs, at, pbc } = place();
  const edges = backend.edges(frame, { pairs, cutoff: 6, ...options });
  const step = backend.prepare(frame, [
    call(neighbors, { pairs, ...at, pbc }),
    call(edgesOf, { edges, ...at }),
    ...(options.reach > 0 ? [call(triplets, { edges, positions: at.positions })] : []),
  ]);
  return () => void backend.run(step, 0, 1);
}

const BODIES: Readonly<Record<string, Body>> = {
  "lennard_jones": {},
  "lennard_jones, energy": { want: 1 },
  "lennard_jones, energy and virial": { want: 3 },
  "lennard_jones, switched off": { switchWidth: 1 },
  "lennard_jones, two species": { types: 2 },
  "lennard_jones, four species": { types: 4 },
  "lennard_jones, generated": { kernel: pairKernel(lennardJones.kernel.pair) },
  "morse, generated": { kernel: pairKernel(morse.kernel.pair), parameters: MORSE },
  "buckingham": { kernel: buckingham.kernel, parameters: BUCKINGHAM },
  "morse": { kernel: morse.kernel, parameters: MORSE },
};

for (const [name, options] of Object.entries(BODIES)) {
  Deno.bench(
    name,
    { group: "pairs of 4000 atoms", baseline: name === "lennard_jones" },
    body(options),
  );
}

const LISTS: Readonly<Record<string, Pick<EdgesOptions, "isHalf" | "reach">>> = {
  "edges, once": { isHalf: true, reach: 0 },
  "edges": { isHalf: false, reach: 0 },
  "edges and triplets": { isHalf: false, reach: 4 },
};

for (const [name, options] of Object.entries(LISTS)) {
  Deno.bench(
    name,
    { group: "edges of 4000 atoms", baseline: name === "edges" },
    listing(options),
  );
}
