/**
 * Settings of the command `hooke demo`.
 *
 * @module
 */

import type { DeviceName } from "../backend/devices.ts";

/** Sources of forces: an ONNX graph in onnxruntime, or a kernel. */
export const MODELS: readonly ["onnx", "kernel"] = ["onnx", "kernel"];

/** Name of a source of forces: `"onnx"` or `"kernel"`. */
export type ModelName = typeof MODELS[number];

/** Settings of the demo. */
export interface DemoSettings {
  /** Number of crystals. */
  readonly systems: number;
  /** Largest force on an atom at which a crystal counts as relaxed, eV/Å. */
  readonly fmax: number;
  /** Number of steps of dynamics. */
  readonly steps: number;
  /** Seed of crystals, velocities and noise. */
  readonly seed: number;
  /** Source of forces during the relaxation. */
  readonly model: ModelName;
  /** Device to run on. */
  readonly device: DeviceName;
  /** Folder of the files; undefined for a new one. */
  readonly out: string | undefined;
  /** Path of the trace; undefined to write none. */
  readonly trace: string | undefined;
  /** True to show neither progress nor pictures. */
  readonly quiet: boolean;
}
