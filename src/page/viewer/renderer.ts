/**
 * Scenes and their renderers: spheres and cylinders, at several offsets, in a parallel projection.
 *
 * @module
 */

import { angstromPerPixel, type Camera, type PictureSize } from "./camera.ts";
import { dot, rowsOf } from "./vector.ts";

/** The shapes of a picture. A renderer uploads an array again only if it is another array than before. */
export interface Scene {
  /** Center and radius of each sphere, Å: 4 numbers each. */
  readonly spheres: Float32Array<ArrayBuffer>;
  /** Red, green, blue and selection of each sphere: 4 bytes each. The last is 255 for spheres with a ring. */
  readonly sphereColors: Uint8Array<ArrayBuffer>;
  /** Start and radius, end and an unused number of each cylinder, Å: 8 numbers each. */
  readonly cylinders: Float32Array<ArrayBuffer>;
  /** Red, green, blue and an unused byte of each cylinder: 4 bytes each. */
  readonly cylinderColors: Uint8Array<ArrayBuffer>;
  /** Translations, Å: 4 numbers each. All shapes are drawn once for each. */
  readonly offsets: Float32Array<ArrayBuffer>;
  /** Largest distance of a shape from the center of the structure, Å. */
  readonly radius: number;
  /** Center of the structure with all its images, Å. */
  readonly center: readonly [number, number, number];
}

/** Red, green and blue, from 0 to 1. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Colors of a picture that do not belong to shapes. */
export interface PictureColors {
  /** Color behind all shapes, and of the haze. */
  readonly background: Rgb;
  /** Rings around selected atoms. */
  readonly ring: Rgb;
}

/** Number of floats of the view that shaders read. */
export const VIEW_FLOATS = 24;

/** Share of the background color in the color of the farthest shapes. */
const FOG = 0.55;

/** A back-end that draws scenes on a canvas. */
export interface Renderer {
  /** Name of the back-end. */
  readonly name: "webgl2" | "webgpu";
  /** Draws a scene with a view of {@linkcode viewOf}. It does nothing while the device is lost. */
  draw(scene: Scene, view: Float32Array<ArrayBuffer>): void;
  /** Waits until the device has drawn everything. */
  settled(): Promise<void>;
  /** Releases the device. */
  close(): void;
}

/** Receives what happens to a device. */
export interface RendererEvents {
  /** Called when a lost device is back, and the picture must be drawn again. */
  onRestored(): void;
  /** Called with an error if the device is lost for good. */
  onLost(error: Error): void;
}

/** Returns the numbers that shaders read: the rows of the view with their translation, scales, and colors. */
export function viewOf(
  camera: Camera,
  size: PictureSize,
  scene: Pick<Scene, "radius" | "center">,
  { background, ring }: PictureColors,
): Float32Array<ArrayBuffer> {
  const rows = rowsOf(camera.rotation), pixel = angstromPerPixel(camera, size);
  const view = new Float32Array(VIEW_FLOATS);
  rows.forEach((row, k) => view.set([...row, -dot(row, camera.center)], 4 * k));
  // Depths are measured from the center of the structure, so that zooming and panning keep their precision.
  view[11] = -dot(rows[2], scene.center);
  view.set([
    2 / (size.width * pixel),
    2 / (size.height * pixel),
    1 / (1.01 * scene.radius + 1),
    pixel,
  ], 12);
  view.set([...background, FOG, ...ring, 0], 16);
  return view;
}
