/**
 * Table of the command `hooke inspect`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag, text } from "../frame/option.ts";
import { CONFIG_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { InspectSettings } from "./settings.ts";

/** The command `hooke inspect`. */
export const INSPECT: Command<InspectSettings> = {
  name: "inspect",
  summary: "describes models, structures, checkpoints and run folders",
  options: {
    files: files({
      value: "FILES…",
      help: "Models (.onnx), files of structures, checkpoints (.hooke), or run folders",
    }),
    points: text({
      value: "PATTERN",
      help: "List the hook points of a model whose names match, such as '*' or 'net.*'",
      otherwise: "their numbers by kind",
      initial: undefined,
    }),
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    set: CONFIG_OPTIONS.set,
    json: flag({ help: "Print one JSON object per file instead of text" }),
  },
  notes: [
    "For a model: inputs and outputs with their meanings, operators that WebGPU runs on the processor, parameters, hook points, and what can be differentiated. For a run: outcome, configuration, and plots.",
  ],
  examples: [
    ["inspect mace.onnx", "describes a model"],
    ["inspect mace.onnx --points '*/energy*'", "lists the tensors that hooks can observe"],
    ["inspect argon-md", "shows the energies and temperatures of a run"],
  ],
  load: async () => (await import("./inspect.ts")).inspect,
};
