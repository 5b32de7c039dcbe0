/**
 * Schemas of the built-in hooks. Configurations are checked against them, and the JSON Schema of configurations is
 * generated from them.
 *
 * @module
 */

import type { HookSchema } from "./hook_schema.ts";
import type { JsonSchema } from "../json_schema.ts";

/** Example URL in the schemas of hooks that post to a web service. */
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

/** Schedule options without `frequency`, for hooks that define their frequency by an option of another name or type. */
const WHEN: Readonly<Record<string, JsonSchema>> = {
  enableAfterEpoch: count("Number of epochs after which the hook is first called.", 0, 0),
  phase: count("Remainder of the counter divided by the frequency at which the hook is due.", 0, 0),
  once: flag("Calls the hook only once, at the first due count.", false),
  after: count("First count at which the hook may be due.", 0, 0),
  until: count("First count at which the hook is no longer due.", undefined, 0),
  everySeconds: above0("Shortest time between two calls, s."),
  atEnd: flag("Calls the hook once more at the end of the run.", false),
  sample: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 1,
    description: "Fraction of the counts at which the hook is due, drawn at random.",
  },
  sampleSeed: count("Seed of the random sample.", 0, 0),
};

/** Schedule options of hooks with the usual `frequency`. */
const TIMES: Readonly<Record<string, JsonSchema>> = {
  frequency: count("The hook is due when the counter of its stage is a multiple of this.", 1),
  ...WHEN,
};

const MONITOR: Readonly<Record<string, JsonSchema>> = {
  monitor: text("Name of the metric.", "val/loss"),
  mode: choice(
    "Direction of improvement: min if smaller values are better.",
    ["min", "max"],
    "min",
  ),
};

const CONSOLE: Readonly<Record<string, JsonSchema>> = {
  logEveryNBatches: count("Number of batches between two rows.", 10),
  level: choice("Lowest level of the lines to write.", ["info", "warning", "error"], "info"),
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

/** Schema of each built-in hook, by the hook's name. */
export const BUILT_IN_SCHEMAS: Readonly<Record<BuiltInHookName, HookSchema>> = {
  console_log: {
    description: "Logs the run on the console.",
    list: "other",
    options: CONSOLE,
    inCode: ["write"],
  },
  json_log: {
    description: "Logs the run as JSON Lines, to the folder logs in outputDir.",
    list: "other",
    options: {
      outputDir: text("Folder that contains the folder logs.", "."),
      logEveryNBatches: count("Number of batches between two rows.", 100),
      fileName: text("Name of the file."),
      config: { description: "Configuration of the run, to be written to the log." },
      ...WHEN,
    },
  },
  checkpoint: {
    description: "Writes checkpoints after epochs, and one of the best epoch.",
    list: "other",
    options: {
      outputDir: text("Folder for the checkpoints.", "checkpoints"),
      saveEveryNEpochs: count("Number of epochs between two checkpoints.", 1),
      saveBest: flag("Keeps a checkpoint of the best epoch, too.", true),
    },
  },
  logging: {
    description: "Logs the run on the console, like console_log.",
    list: "other",
    options: CONSOLE,
    inCode: ["write"],
  },
  gradient_monitor: {
    description: "Reports statistics of the gradients of each parameter.",
    list: "other",
    options: {
      logFrequency: count("Number of steps between two reports.", 100),
      histogram: flag("Reports histograms.", false),
      norm: flag("Reports norms.", true),
      paramFilter: texts("Parts of the names of the parameters to report."),
      percentiles: {
        type: "array",
        items: { type: "number", minimum: 0, maximum: 100 },
        description: "Percentiles to report.",
        default: [10, 50, 90],
      },
      vanishing: from0("Norm below which a gradient is vanishing.", 1e-7),
      exploding: above0("Norm above which a gradient is exploding.", 1e3),
      ...WHEN,
    },
    inCode: ["write"],
    aliases: { logHistogram: "histogram", logNorm: "norm" },
  },
  model_checkpoint: {
    description: "Keeps checkpoints of the best models by a metric.",
    list: "other",
    options: {
      dir: text("Folder for the checkpoints.", "checkpoints"),
      saveTopK: count("Number of checkpoints to keep; -1 keeps all.", 3, -1),
      ...MONITOR,
      saveLast: flag("Keeps the latest checkpoint, too.", true),
      saveOnTrainEpochEnd: flag(
        "Checks the metric at the end of each epoch, instead of after each validation.",
        false,
      ),
      filename: text("Template of the file names.", "epoch_{epoch}_loss_{val/loss:.2f}"),
      autoInsertMetricName: flag("Writes names of metrics before their values.", false),
      everyNEpochs: count("Number of epochs between two checks.", 1),
      weights: choice("Content of the files.", ["checkpoint", "onnx", "both"], "checkpoint"),
    },
  },
  early_stopping: {
    description: "Stops training when a metric no longer improves.",
    list: "other",
    options: {
      ...MONITOR,
      patience: count("Number of checks without improvement after which training stops.", 10, 0),
      minDelta: from0("Smallest change that counts as an improvement.", 1e-4),
      checkOnTrainEpochEnd: flag(
        "Checks the metric at the end of each epoch, instead of after each validation.",
        false,
      ),
      strict: flag("Ends the run if the metric is missing.", true),
      verbose: flag("Writes a line for each check.", false),
      ...TIMES,
    },
    inCode: ["write"],
  },
  lr_monitor: {
    description: "Reports learning rates.",
    list: "other",
    options: {
      logMomentum: flag("Reports momenta, too.", false),
      logWeightDecay: flag("Reports weight decays, too.", false),
      frequency: choice("Unit of the schedule.", ["step", "epoch"], "epoch"),
      everyNSteps: count("Number of steps between two rows."),
      ...WHEN,
    },
    inCode: ["write"],
  },
  activation_stats: {
    description: "Reports mean, standard deviation and range of tensors within the model.",
    list: "forward",
    options: {
      points: texts("Names of tensors, or patterns with *.", ["*"]),
      logInterval: count("Number of forward passes between two measurements.", 1),
      ...WHEN,
    },
    inCode: ["write"],
  },
  identity: {
    description: "Returns gradients unchanged.",
    list: "update",
    options: {},
  },
  validation: {
    description: "Validates the model.",
    list: "other",
    options: {
      every: count("Number of epochs or steps between two validations.", 1),
      unit: choice("Unit of every.", ["epoch", "step"], "epoch"),
      ...WHEN,
      phase: count(
        "Remainder of the count divided by every at which the hook is due; every - 1 by default.",
        undefined,
        0,
      ),
    },
    inCode: ["data"],
  },
  ema: {
    description: "Keeps exponential moving averages of the parameters.",
    list: "other",
    options: {
      decay: {
        type: "number",
        minimum: 0,
        maximum: 1,
        default: 0.999,
        description: "Share of the averages that each step keeps.",
      },
      validate: flag("Validates the averages, instead of the parameters.", true),
    },
  },
  accumulate_gradients: {
    description: "Accumulates the gradients of several batches into one step.",
    list: "other",
    options: { steps: count("Number of batches per step.") },
    required: ["steps"],
  },
  clip_gradients: {
    description: "Clips gradients.",
    list: "other",
    options: {
      norm: above0("Largest norm of all gradients together."),
      value: above0("Largest absolute value of each number."),
    },
    anyOf: ["norm", "value"],
  },
  nan_guard: {
    description: "Checks that losses and gradients are finite.",
    list: "other",
    options: {
      mode: choice("Reaction to a value that is not finite.", ["break", "skip", "raise"], "raise"),
      logShapes: flag("Writes the shapes of each checked batch.", false),
      checkGradients: flag("Checks gradients, too.", true),
      ...TIMES,
    },
    inCode: ["write"],
  },
  webhook: {
    description: "Posts messages to a web service.",
    list: "other",
    options: {
      url: { ...text("Address to post to."), examples: [ADDRESS] },
      notifyOn: {
        type: "array",
        items: {
          type: "string",
          enum: ["training_begin", "training_end", "best_model", "exception"],
        },
        description: "Occasions to report.",
        default: ["training_end", "best_model", "exception"],
      },
      ...MONITOR,
      timeout: above0("Longest time to wait for an answer, s.", 10),
    },
    required: ["url"],
    inCode: ["format"],
  },
  checkpoint_upload: {
    description: "Uploads checkpoints.",
    list: "other",
    options: {
      to: {
        ...text("Address for an HTTP PUT, in which {name}, {step} and {epoch} are replaced."),
        examples: ["https://example.com/runs/{name}"],
      },
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Headers of the requests.",
        default: {},
      },
      timeout: above0("Longest time for one attempt, s.", 600),
      retries: count("Number of further attempts after an error.", 2, 0),
    },
    anyOf: ["to", "run"],
    inCode: ["run"],
  },
  heartbeat: {
    description: "Reports to a file or a web service that the run is alive.",
    list: "other",
    options: {
      path: text("File to write."),
      url: { ...text("Address to post to."), examples: [ADDRESS] },
      everySeconds: above0("Interval between two beats, s.", 30),
      timeout: above0("Longest time to wait for an answer, s.", 10),
    },
    anyOf: ["path", "url"],
  },
};
