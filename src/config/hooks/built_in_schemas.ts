/**
 * Schemas of the built-in hooks: the table by which configurations are checked and from which their JSON Schema is
 * made.
 *
 * @module
 */

import type { HookSchema } from "./hook_schema.ts";
import type { JsonSchema } from "../json_schema.ts";

/** Example of an address. */
const ADDRESS = "https://example.com/hook";

const flag = (description: string, value?: boolean): JsonSchema => ({
  type: "boolean",
  description,
  ...(value !== undefined && { default: value }),
});
const text = (description: string, value?: string): JsonSchema => ({
  type: "string",
  description,
  ...(value !== undefined && { default: value }),
});
const count = (description: string, value?: number, minimum: number = 1): JsonSchema => ({
  type: "integer",
  minimum,
  description,
  ...(value !== undefined && { default: value }),
});
const above0 = (description: string, value?: number): JsonSchema => ({
  type: "number",
  exclusiveMinimum: 0,
  description,
  ...(value !== undefined && { default: value }),
});
const from0 = (description: string, value?: number): JsonSchema => ({
  type: "number",
  minimum: 0,
  description,
  ...(value !== undefined && { default: value }),
});
const choice = (description: string, choices: readonly string[], value?: string): JsonSchema => ({
  type: "string",
  enum: choices,
  description,
  ...(value !== undefined && { default: value }),
});
const texts = (description: string, value?: readonly string[]): JsonSchema => ({
  type: ["string", "array"],
  items: { type: "string" },
  description,
  ...(value !== undefined && { default: value }),
});

/** Schedule options of hooks whose frequency has another name. */
const WHEN: Readonly<Record<string, JsonSchema>> = {
  enableAfterEpoch: count("Asleep until so many epochs are done.", 0, 0),
  phase: count("What is left when the counter is divided by the frequency.", 0, 0),
  once: flag("Fires at the first due count only.", false),
  after: count("The first count at which it may fire.", 0, 0),
  until: count("The first count at which it may no longer fire.", undefined, 0),
  everySeconds: above0("At least so many seconds pass between two firings."),
  atEnd: flag("Fires once more at the end of the run.", false),
  sample: { type: "number", exclusiveMinimum: 0, maximum: 1, description: "A fraction of counts." },
  sampleSeed: count("What that fraction is drawn with.", 0, 0),
};

/** Schedule options of all other hooks. */
const TIMES: Readonly<Record<string, JsonSchema>> = {
  frequency: count("It fires when the counter of its stage is a multiple of this.", 1),
  ...WHEN,
};

const MONITOR: Readonly<Record<string, JsonSchema>> = {
  monitor: text("The metric that is watched.", "val/loss"),
  mode: choice("Whether less is better, or more.", ["min", "max"], "min"),
};

const CONSOLE: Readonly<Record<string, JsonSchema>> = {
  logEveryNBatches: count("Every so many batches have a row.", 10),
  level: choice("How much is told.", ["info", "warning", "error"], "info"),
  ...WHEN,
};

/** Names of the built-in hooks. */
export type BuiltInHookName =
  | "console_log"
  | "json_log"
  | "checkpoint"
  | "logging"
  | "gradient_monitor"
  | "model_checkpoint"
  | "early_stopping"
  | "lr_monitor"
  | "activation_stats"
  | "identity"
  | "validation"
  | "ema"
  | "accumulate_gradients"
  | "clip_gradients"
  | "nan_guard"
  | "webhook"
  | "checkpoint_upload"
  | "heartbeat";

/** Schemas by the names of hooks. */
export const BUILT_IN_SCHEMAS: Readonly<Record<BuiltInHookName, HookSchema>> = {
  console_log: {
    description: "Tells of the run on the console.",
    list: "other",
    options: CONSOLE,
    inCode: ["write"],
  },
  json_log: {
    description: "Writes the run as JSON Lines, into logs/ of a folder.",
    list: "other",
    options: {
      outputDir: text("The folder.", "."),
      logEveryNBatches: count("Every so many batches have a line.", 100),
      fileName: text("The file's name."),
      config: { description: "What the run was configured by, to be written." },
      ...WHEN,
    },
  },
  checkpoint: {
    description: "Writes checkpoints after epochs, and the best.",
    list: "other",
    options: {
      outputDir: text("The folder.", "checkpoints"),
      saveEveryNEpochs: count("Every so many epochs have one.", 1),
      saveBest: flag("Whether the best is kept besides.", true),
    },
  },
  logging: {
    description: "The same as console_log.",
    list: "other",
    options: CONSOLE,
    inCode: ["write"],
  },
  gradient_monitor: {
    description: "Measures gradients, each parameter's and all together.",
    list: "other",
    options: {
      logFrequency: count("Every so many steps.", 100),
      histogram: flag("Whether there are histograms.", false),
      norm: flag("Whether there are norms.", true),
      paramFilter: texts("Only parameters whose names have one of these in them."),
      percentiles: {
        type: "array",
        items: { type: "number", minimum: 0, maximum: 100 },
        description: "Which percentiles are told.",
        default: [10, 50, 90],
      },
      vanishing: from0("A norm below this is vanishing.", 1e-7),
      exploding: above0("A norm above this is exploding.", 1e3),
      ...WHEN,
    },
    inCode: ["write"],
    aliases: { logHistogram: "histogram", logNorm: "norm" },
  },
  model_checkpoint: {
    description: "Keeps the best checkpoints, by a metric.",
    list: "other",
    options: {
      dir: text("The folder.", "checkpoints"),
      saveTopK: count("How many are kept; -1: all.", 3, -1),
      ...MONITOR,
      saveLast: flag("Whether the last is kept besides.", true),
      saveOnTrainEpochEnd: flag("Whether after training rather than after validation.", false),
      filename: text("What files are called.", "epoch_{epoch}_loss_{val/loss:.2f}"),
      autoInsertMetricName: flag("Whether names of metrics are put before their values.", false),
      everyNEpochs: count("Every so many epochs.", 1),
      weights: choice("What is written.", ["checkpoint", "onnx", "both"], "checkpoint"),
    },
  },
  early_stopping: {
    description: "Stops when a metric no longer improves.",
    list: "other",
    options: {
      ...MONITOR,
      patience: count("So many checks without improvement.", 10, 0),
      minDelta: from0("What counts as improvement.", 1e-4),
      checkOnTrainEpochEnd: flag("Whether after training rather than after validation.", false),
      strict: flag("Whether a metric that is not there ends the run.", true),
      verbose: flag("Whether it tells of each check.", false),
      ...TIMES,
    },
    inCode: ["write"],
  },
  lr_monitor: {
    description: "Tells learning rates.",
    list: "other",
    options: {
      logMomentum: flag("Whether momenta are told, too.", false),
      logWeightDecay: flag("Whether weight decays are told, too.", false),
      frequency: choice("After each what.", ["step", "epoch"], "epoch"),
      everyNSteps: count("Every so many steps."),
      ...WHEN,
    },
    inCode: ["write"],
  },
  activation_stats: {
    description: "Mean, spread and range of tensors within the model.",
    list: "forward",
    options: {
      points: texts("Names of tensors, or patterns.", ["*"]),
      logInterval: count("Every so many forward passes.", 1),
      ...WHEN,
    },
    inCode: ["write"],
  },
  identity: {
    description: "Hands gradients on as they are.",
    list: "update",
    options: {},
  },
  validation: {
    description: "Has the model validated.",
    list: "other",
    options: {
      every: count("After every so many.", 1),
      unit: choice("Of what.", ["epoch", "step"], "epoch"),
      ...WHEN,
      phase: count(
        "What is left when their count is divided by that; one less, if not said.",
        undefined,
        0,
      ),
    },
    inCode: ["data"],
  },
  ema: {
    description: "Keeps averages of the parameters.",
    list: "other",
    options: {
      decay: {
        type: "number",
        minimum: 0,
        maximum: 1,
        default: 0.999,
        description: "What is kept.",
      },
      validate: flag("Whether the averages are validated.", true),
    },
  },
  accumulate_gradients: {
    description: "Takes several batches as one step.",
    list: "other",
    options: { steps: count("How many.") },
    required: ["steps"],
  },
  clip_gradients: {
    description: "Clips gradients.",
    list: "other",
    options: {
      norm: above0("All together are made no longer than this."),
      value: above0("No number is further from 0 than this."),
    },
    anyOf: ["norm", "value"],
  },
  nan_guard: {
    description: "Looks for losses and gradients that are no finite numbers.",
    list: "other",
    options: {
      mode: choice("What happens then.", ["break", "skip", "raise"], "raise"),
      logShapes: flag("Whether shapes of batches are told.", false),
      checkGradients: flag("Whether gradients are looked at.", true),
      ...TIMES,
    },
    inCode: ["write"],
  },
  webhook: {
    description: "Tells a web service of what happens.",
    list: "other",
    options: {
      url: { ...text("Its address."), examples: [ADDRESS] },
      notifyOn: {
        type: "array",
        items: {
          type: "string",
          enum: ["training_begin", "training_end", "best_model", "exception"],
        },
        description: "Of what.",
        default: ["training_end", "best_model", "exception"],
      },
      ...MONITOR,
      timeout: above0("Seconds that it may take.", 10),
    },
    required: ["url"],
    inCode: ["format"],
  },
  checkpoint_upload: {
    description: "Sends checkpoints elsewhere.",
    list: "other",
    options: {
      to: {
        ...text("Where they are put: an address with {name}, {step} or {epoch} in it."),
        examples: ["https://example.com/runs/{name}"],
      },
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Headers of these requests.",
        default: {},
      },
      timeout: above0("Seconds that one attempt may take.", 600),
      retries: count("How often it is tried again.", 2, 0),
    },
    anyOf: ["to", "run"],
    inCode: ["run"],
  },
  heartbeat: {
    description: "Says in a file, or to a web service, that the run is alive.",
    list: "other",
    options: {
      path: text("The file."),
      url: { ...text("The address."), examples: [ADDRESS] },
      everySeconds: above0("How often.", 30),
      timeout: above0("Seconds that one may take.", 10),
    },
    anyOf: ["path", "url"],
  },
};
