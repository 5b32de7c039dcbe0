/**
 * Choice of a renderer.
 *
 * @module
 */

import type { Renderer, RendererEvents } from "./renderer.ts";
import { WebglRenderer } from "./webgl/webgl_renderer.ts";
import { WebgpuRenderer } from "./webgpu/webgpu_renderer.ts";

/** A way to draw. `"auto"` takes WebGPU if the browser has a graphics processor for it, else WebGL2. */
export type RendererChoice = "auto" | "webgl2" | "webgpu";

/**
 * Opens a renderer for a canvas.
 *
 * @throws {Error} if the browser has no way to draw, or lacks the chosen one
 */
export async function openRenderer(
  canvas: HTMLCanvasElement,
  choice: RendererChoice,
  events: RendererEvents,
): Promise<Renderer> {
  if (choice !== "webgl2") {
    try {
      return await WebgpuRenderer.open(canvas, choice === "webgpu", events);
    } catch (error) {
      if (choice === "webgpu") throw error;
    }
  }
  return new WebglRenderer(canvas, events);
}
