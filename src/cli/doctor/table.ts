/**
 * Table of the command `hooke doctor`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { flag } from "../frame/option.ts";
import type { DoctorSettings } from "./settings.ts";

/** The command `hooke doctor`. */
export const DOCTOR: Command<DoctorSettings> = {
  name: "doctor",
  summary: "shows what this machine has, and what is slow and why",
  options: { json: flag({ help: "Print one JSON object instead of text" }) },
  notes: ["It opens the GPU, looks for onnxruntime-node, and measures a few steps of argon."],
  examples: [["doctor", "shows WebGPU, the native runtime, threads, formats and speed"]],
  load: async () => (await import("./doctor.ts")).doctor,
};
