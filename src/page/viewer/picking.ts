/**
 * Finding the atom at a place of the picture.
 *
 * @module
 */

import { angstromPerPixel, type Camera, type PictureSize, projection } from "./camera.ts";
import { type FrameShapes, placeOf } from "./scene.ts";
import type { Vector } from "./vector.ts";

/** An atom, and the image of the cell in which it was picked. */
export interface PickedAtom {
  /** Index of the atom. */
  readonly atom: number;
  /** Index of the image. */
  readonly image: number;
  /** Position, Å. */
  readonly position: Vector;
}

/** Atoms that look smaller than this are picked within this distance, pixels. */
const SMALLEST = 6;

/** Returns the foremost atom at a place in pixels; undefined if there is none. */
export function pickAtom(
  shapes: FrameShapes,
  camera: Camera,
  [x, y]: readonly [x: number, y: number],
  size: PictureSize,
): PickedAtom | undefined {
  const project = projection(camera, size), scale = 1 / angstromPerPixel(camera, size);
  const { spheres, offsets } = shapes;
  let found: PickedAtom | undefined, nearest = -Infinity;
  for (let image = 0; image < offsets.length / 4; image++) {
    for (let atom = 0; atom < spheres.length / 4; atom++) {
      const position = placeOf(shapes, atom, image);
      const [px, py, depth] = project(position);
      const radius = spheres[4 * atom + 3]!, reach = Math.max(SMALLEST, radius * scale);
      const square = (px - x) ** 2 + (py - y) ** 2;
      if (!(square <= reach * reach)) continue;
      const front = depth + radius * Math.sqrt(1 - square / (reach * reach));
      if (front <= nearest) continue;
      nearest = front;
      found = { atom, image, position };
    }
  }
  return found;
}
