/**
 * The picture of a structure: atoms as spheres, bonds and the edges of the cell as cylinders.
 *
 * @module
 */

import type { ViewerFrame } from "../protocol.ts";
import { type Bonds, findBonds, type Lattice, latticeOf, wrappedPositions } from "./bonds.ts";
import { radiusOf } from "./elements.ts";
import type { Bytes } from "./color_map.ts";
import type { Scene } from "./renderer.ts";
import { combined, minus, norm, plus, type Vector, vectorAt } from "./vector.ts";

/** Choices of a picture that change its shapes. */
export interface Look {
  /** Number of images along a, b and c; only periodic directions repeat. */
  readonly repeat: readonly [a: number, b: number, c: number];
  /** True if atoms are moved into the cell. */
  readonly wraps: boolean;
  /** True if bonds are drawn. */
  readonly bonds: boolean;
  /** True if the edges of the cell are drawn. */
  readonly cell: boolean;
  /** Factor on the sizes of atoms. */
  readonly size: number;
}

/** The look of a new view. */
export const FIRST_LOOK: Look = {
  repeat: [1, 1, 1],
  wraps: true,
  bonds: true,
  cell: true,
  size: 1,
};

/** Radius of bonds, and of the edges of the cell, Å. Renderers draw them at least a pixel wide. */
const BOND = 0.11, EDGE = 0.02;

/** Radius of atoms relative to their covalent radii, with and without bonds. */
const BALL = 0.45, SPHERE = 1;

/** Largest number of spheres of all images. Repeats beyond it are refused. */
const MOST_SPHERES = 2_000_000;

/** FrameShapes of a frame, without colors. */
export interface FrameShapes {
  /** Frame that the shapes show. */
  readonly frame: ViewerFrame;
  /** Lattice; undefined without a cell. */
  readonly lattice: Lattice | undefined;
  /** Positions of the atoms as they are drawn, Å. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** Centers and radii of the atoms, as in `Scene`. */
  readonly spheres: Float32Array<ArrayBuffer>;
  /** Bonds and edges of the cell, as in `Scene`. */
  readonly cylinders: Float32Array<ArrayBuffer>;
  /** Index of the atom of each cylinder; −1 for edges of the cell. */
  readonly owners: Int32Array;
  /** Translations of the images, as in `Scene`. */
  readonly offsets: Float32Array<ArrayBuffer>;
  /** Center of all images, Å. */
  readonly center: Vector;
  /** Largest distance of a shape from the center, Å. */
  readonly radius: number;
}

/** Returns the shapes of a frame. */
export function shapesOf(frame: ViewerFrame, look: Look): FrameShapes {
  const lattice = latticeOf(frame), { numbers } = frame;
  const inside = lattice === undefined
    ? Float32Array.from(frame.positions)
    : wrappedPositions(frame.positions, lattice);
  const positions = look.wraps ? inside : Float32Array.from(frame.positions);
  const bonds = look.bonds ? findBonds(numbers, inside, lattice) : undefined;
  // Atoms without bonds, such as those of noble gases, would look lost as small balls.
  const scale = look.size * (bonds === undefined || bonds.atoms.length === 0 ? SPHERE : BALL);
  const spheres = new Float32Array(4 * numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    for (let k = 0; k < 3; k++) spheres[4 * i + k] = positions[3 * i + k]!;
    spheres[4 * i + 3] = scale * radiusOf(numbers[i]!);
  }
  const edges = look.cell && lattice !== undefined ? edgesOf(lattice) : [];
  const offsets = offsetsOf(lattice, look, numbers.length);
  return {
    frame,
    lattice,
    positions,
    spheres,
    ...cylindersOf(positions, bonds, edges),
    offsets,
    ...extentOf(spheres, edges, offsets),
  };
}

/** Returns half of each bond, from its atom to its middle, and the edges. */
function cylindersOf(
  positions: Float32Array,
  bonds: Bonds | undefined,
  edges: readonly (readonly [Vector, Vector])[],
): Pick<FrameShapes, "cylinders" | "owners"> {
  const count = bonds?.atoms.length ?? 0;
  const cylinders = new Float32Array(8 * (count + edges.length));
  const owners = new Int32Array(count + edges.length).fill(-1);
  for (let b = 0; b < count; b++) {
    const atom = owners[b] = bonds!.atoms[b]!;
    for (let k = 0; k < 3; k++) {
      cylinders[8 * b + k] = positions[3 * atom + k]!;
      cylinders[8 * b + 4 + k] = positions[3 * atom + k]! + bonds!.vectors[3 * b + k]! / 2;
    }
    cylinders[8 * b + 3] = BOND;
  }
  edges.forEach(([from, to], e) => cylinders.set([...from, EDGE, ...to, 0], 8 * (count + e)));
  return { cylinders, owners };
}

/** Returns the twelve edges of the cell. */
function edgesOf({ cell }: Lattice): (readonly [Vector, Vector])[] {
  const corner = (bits: number) => combined(cell, [bits & 1, bits >> 1 & 1, bits >> 2 & 1]);
  return [1, 2, 4].flatMap((bit) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bits) => (bits & bit) === 0)
      .map((bits) => [corner(bits), corner(bits | bit)] as const)
  );
}

function offsetsOf(
  lattice: Lattice | undefined,
  { repeat }: Look,
  atoms: number,
): Float32Array<ArrayBuffer> {
  if (lattice === undefined) return new Float32Array(4);
  const [na, nb, nc] = repeat.map((n, k) => lattice.pbc[k] ? Math.max(1, Math.floor(n)) : 1) as [
    number,
    number,
    number,
  ];
  if (na * nb * nc * atoms > MOST_SPHERES) {
    throw new RangeError(
      `Cannot draw ${na} × ${nb} × ${nc} images of ${atoms} atoms: at most ${MOST_SPHERES} spheres can be drawn`,
    );
  }
  const offsets = new Float32Array(4 * na * nb * nc);
  let at = 0;
  for (let a = 0; a < na; a++) {
    for (let b = 0; b < nb; b++) {
      for (let c = 0; c < nc; c++, at += 4) offsets.set(combined(lattice.cell, [a, b, c]), at);
    }
  }
  return offsets;
}

/** Returns the middle of all shapes, and the distance of the farthest one from it. */
function extentOf(
  spheres: Float32Array,
  edges: readonly (readonly [Vector, Vector])[],
  offsets: Float32Array,
): Pick<FrameShapes, "center" | "radius"> {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const include = (at: ArrayLike<number>, offset: number, grown: number) => {
    for (let k = 0; k < 3; k++) {
      const x = at[offset + k]!;
      if (!Number.isFinite(x)) continue;
      low[k] = Math.min(low[k]!, x - grown);
      high[k] = Math.max(high[k]!, x + grown);
    }
  };
  for (let at = 0; at < spheres.length; at += 4) include(spheres, at, spheres[at + 3]!);
  for (const edge of edges) for (const point of edge) include(point, 0, EDGE);
  if (low.some((x) => x === Infinity)) return { center: [0, 0, 0], radius: 1 };
  const images = { low: [0, 0, 0], high: [0, 0, 0] };
  for (let at = 0; at < offsets.length; at += 4) {
    for (let k = 0; k < 3; k++) {
      images.low[k] = Math.min(images.low[k]!, offsets[at + k]!);
      images.high[k] = Math.max(images.high[k]!, offsets[at + k]!);
    }
  }
  const from = plus(low as unknown as Vector, images.low as unknown as Vector);
  const to = plus(high as unknown as Vector, images.high as unknown as Vector);
  const box = minus(to, from);
  return { center: plus(from, box, 0.5), radius: norm(box) / 2 };
}

/** Colors of a picture that belong to shapes. */
export interface Paint {
  /** Color of each atom: 3 bytes each. */
  readonly atoms: Uint8Array;
  /** Color of the edges of the cell. */
  readonly edges: Bytes;
  /** Atoms with rings. */
  readonly selected: ReadonlySet<number>;
}

/** Returns a scene: shapes with colors. */
export function sceneOf(shapes: FrameShapes, { atoms, edges, selected }: Paint): Scene {
  const { spheres, cylinders, owners, offsets, center, radius } = shapes;
  const sphereColors = new Uint8Array(spheres.length),
    cylinderColors = new Uint8Array(4 * owners.length);
  for (let i = 0; i < spheres.length / 4; i++) {
    for (let k = 0; k < 3; k++) sphereColors[4 * i + k] = atoms[3 * i + k]!;
    if (selected.has(i)) sphereColors[4 * i + 3] = 255;
  }
  for (let b = 0; b < owners.length; b++) {
    const owner = owners[b]!;
    for (let k = 0; k < 3; k++) {
      cylinderColors[4 * b + k] = owner === -1 ? edges[k]! : atoms[3 * owner + k]!;
    }
  }
  return { spheres, sphereColors, cylinders, cylinderColors, offsets, center, radius };
}

/** Returns the position of an atom in an image. */
export function placeOf({ positions, offsets }: FrameShapes, atom: number, image: number): Vector {
  const at = vectorAt(positions, atom);
  return plus(at, [offsets[4 * image]!, offsets[4 * image + 1]!, offsets[4 * image + 2]!]);
}
