/**
 * Structures and trajectories in web pages: the element `<hooke-viewer>`, and views on a canvas.
 *
 * A page without a bundler uses the script `viewer.js` instead, which defines the element by itself. The element works
 * under a strict content security policy, and fetches nothing but `src`.
 *
 * @example
 * ```ts
 * import { defineViewer, framesOf, HookeViewer } from "@hooke/hooke/viewer";
 * import { assertEquals } from "@std/assert";
 *
 * const water = {
 *   numbers: Uint8Array.of(8, 1, 1),
 *   positions: Float32Array.of(0, 0, 0, 0.96, 0, 0, -0.24, 0.93, 0),
 * };
 * const frames = framesOf([water]);
 * assertEquals((await frames.frame(0)).numbers.length, 3);
 *
 * // In a page:
 * if ("document" in globalThis) {
 *   defineViewer();
 *   const viewer = document.body.appendChild(new HookeViewer());
 *   viewer.frames = frames;
 * }
 * ```
 *
 * @module
 */

import type { FrameSource, ViewerFrame } from "../protocol.ts";
import { ElementBase, HookeViewer } from "./element/element.ts";
import { sourceOfFrames } from "./read/frame_source.ts";

export { AtomView, type AtomViewOptions, openAtomView } from "./atom_view.ts";
export type { Camera, PictureSize, Projected } from "./camera.ts";
export type { ColorScale } from "./color_by.ts";
export type { Bytes } from "./color_map.ts";
export type { Lattice } from "./bonds.ts";
export type { Measurement } from "./measuring.ts";
export type { RendererChoice } from "./open_renderer.ts";
export type { PickedAtom } from "./picking.ts";
export type { PictureColors, Renderer, Rgb, Scene } from "./renderer.ts";
export type { FrameShapes, Look } from "./scene.ts";
export type { ViewColors } from "./theme.ts";
export type { Quaternion, Vector } from "./vector.ts";
export type { FrameSource, ViewerFrame } from "../protocol.ts";
export { ElementBase, HookeViewer };

/**
 * Makes `HookeViewer` the element `<hooke-viewer>` of the page. It does nothing if the page has the element already.
 *
 * @throws {TypeError} if there is no page
 */
export function defineViewer(): void {
  if (globalThis.customElements === undefined) {
    throw new TypeError("Cannot define hooke-viewer: there is no page");
  }
  if (customElements.get("hooke-viewer") === undefined) {
    customElements.define("hooke-viewer", HookeViewer);
  }
}

/**
 * Returns frames that are in memory as a source for the element.
 *
 * @example
 * ```ts
 * import { framesOf } from "@hooke/hooke/viewer";
 * import { assertEquals } from "@std/assert";
 *
 * const frames = framesOf([{ numbers: Uint8Array.of(18), positions: new Float32Array(3) }]);
 * assertEquals([frames.length, (await frames.frame(0)).numbers[0]], [1, 18]);
 * ```
 */
export function framesOf(frames: readonly ViewerFrame[]): FrameSource {
  return sourceOfFrames("the frames", frames);
}

/**
 * Opens the frames of a structure file or a store at an address. Frames of a store are read by range requests.
 *
 * @throws {RangeError} if the name does not determine a format
 * @throws {SyntaxError} if the file is damaged or of another format
 * @throws {Error} if the server has no such file, or does not answer
 */
export async function openFrames(address: string, signal?: AbortSignal): Promise<FrameSource> {
  // The readers are larger than the viewer, so that they are loaded when there is a file.
  const readers = await import("./read/open_frames.ts");
  return await readers.openFrames(address, signal);
}
