/**
 * The camera: a parallel projection that is turned, moved and zoomed.
 *
 * Parallel projection keeps lengths comparable across the picture, and makes spheres circles.
 *
 * @module
 */

import {
  after,
  cross,
  dot,
  plus,
  type Quaternion,
  quaternionOf,
  type Rows,
  rowsOf,
  turnAbout,
  unit,
  type Vector,
} from "./vector.ts";

/** A camera. Cameras are values: each change returns a new one. */
export interface Camera {
  /** Rotation of the model. */
  readonly rotation: Quaternion;
  /** Point of the model in the middle of the picture, Å. */
  readonly center: Vector;
  /** Distance in the model from the middle of the picture to its nearer edge, Å. */
  readonly reach: number;
}

/** Size of a picture in pixels. */
export interface PictureSize {
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
}

/** Least and largest distance from the middle of the picture to its edge, Å. */
const REACH = [0.2, 1e5] as const;

/** Space around the structure, relative to its radius. */
const MARGIN = 1.08;

/** Rotation by a drag across the shorter side of the picture, rad. */
const TURN_PER_PICTURE = Math.PI;

/** Directions of the first view: nearly along y with z upwards, as the pictures of reports. */
const FIRST: Quaternion = after(turnAbout([0, 0, 1], -0.35), turnAbout([1, 0, 0], -1.22));

/** Returns a camera that shows a ball of the model. */
export function cameraOf(center: Vector, radius: number, rotation: Quaternion = FIRST): Camera {
  return { rotation, center, reach: bounded(MARGIN * Math.max(radius, 1)) };
}

/** Turns the model by a drag in pixels. */
export function orbited(camera: Camera, dx: number, dy: number, size: PictureSize): Camera {
  const angle = TURN_PER_PICTURE * Math.hypot(dx, dy) / shorter(size);
  if (angle === 0) return camera;
  return { ...camera, rotation: after(camera.rotation, turnAbout([dy, dx, 0], angle)) };
}

/** Turns the model about the direction towards the reader, rad. */
export function rolled(camera: Camera, angle: number): Camera {
  return { ...camera, rotation: after(camera.rotation, turnAbout([0, 0, 1], angle)) };
}

/** Moves the model by a drag in pixels. */
export function panned(camera: Camera, dx: number, dy: number, size: PictureSize): Camera {
  const [right, up] = rowsInModel(camera, size);
  return { ...camera, center: plus(plus(camera.center, right, -dx), up, dy) };
}

/** Zooms by a factor about a pixel, which keeps its place. */
export function zoomed(
  camera: Camera,
  factor: number,
  at: readonly [x: number, y: number],
  size: PictureSize,
): Camera {
  const reach = bounded(camera.reach / factor);
  const share = 1 - reach / camera.reach;
  const dx = (size.width / 2 - at[0]) * share, dy = (size.height / 2 - at[1]) * share;
  return { ...panned(camera, dx, dy, size), reach };
}

/** Turns the model so that a direction points towards the reader, and another one upwards as far as possible. */
export function lookingAlong(camera: Camera, direction: Vector, upwards: Vector): Camera {
  const front = unit(direction);
  const sideways = cross(upwards, front);
  const isParallel = dot(sideways, sideways) < 1e-12 * dot(upwards, upwards);
  const right = unit(
    isParallel ? cross(Math.abs(front[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], front) : sideways,
  );
  return { ...camera, rotation: quaternionOf([right, cross(front, right), front]) };
}

/** Returns the length in the model of a pixel, Å. */
export function angstromPerPixel({ reach }: Camera, size: PictureSize): number {
  return 2 * reach / shorter(size);
}

/** Returns the directions right and up of the picture, with the length of a pixel, Å. */
export function rowsInModel(
  camera: Camera,
  size: PictureSize,
): readonly [right: Vector, up: Vector] {
  const [right, up] = rowsOf(camera.rotation), scale = angstromPerPixel(camera, size);
  return [plus([0, 0, 0], right, scale), plus([0, 0, 0], up, scale)];
}

/** Position in the picture: pixels from the left and the top, and the distance towards the reader, Å. */
export type Projected = readonly [x: number, y: number, depth: number];

/** Returns a function that projects points of the model. */
export function projection(camera: Camera, size: PictureSize): (point: Vector) => Projected {
  const rows: Rows = rowsOf(camera.rotation), scale = 1 / angstromPerPixel(camera, size);
  return (point) => {
    const from = plus(point, camera.center, -1);
    return [
      size.width / 2 + dot(rows[0], from) * scale,
      size.height / 2 - dot(rows[1], from) * scale,
      dot(rows[2], from),
    ];
  };
}

function shorter({ width, height }: PictureSize): number {
  return Math.max(1, Math.min(width, height));
}

function bounded(reach: number): number {
  return Math.min(REACH[1], Math.max(REACH[0], reach));
}
