/**
 * Stages of recipes: relaxations, dynamics and single points, as plain data.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { checkNumber, NOT_NEGATIVE, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { isObject, type Members } from "../../base/object.ts";
import { show } from "../../base/show.ts";

/** A relaxation. A structure that has not converged after all steps goes on to the next stage. */
export interface RelaxStage {
  /** Kind of the stage. */
  readonly stage: "relax";
  /** Optimizer. @default "lbfgs" */
  readonly optimizer?: "lbfgs" | "fire" | "fire2";
  /** Largest force of a relaxed structure, eV/Å. @default 0.05 */
  readonly fmax?: number;
  /** Largest number of steps. @default 500 */
  readonly steps?: number;
  /** Further options of the optimizer as plain data, such as `{ maxStep: 0.1 }` or `{ cell: true }`. @default {} */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A stage of dynamics. */
export interface MdStage {
  /** Kind of the stage. */
  readonly stage: "md";
  /** Integrator. @default "langevin" */
  readonly integrator?: "nve" | "langevin" | "bussi" | "nose-hoover" | "npt" | "nph";
  /** Number of steps. */
  readonly steps: number;
  /**
   * Temperature, K: that of the thermostat, and of the velocities that are drawn if a structure has none. Without it
   * (possible for `"nve"` and `"nph"`) such a structure begins at rest.
   */
  readonly temperature?: number;
  /**
   * Further options of the integrator as plain data.
   *
   * @default a `dt` of 1 fs, and as far as the integrator has them: `friction` 0.01 1/fs, `thermostatTime` 100 fs,
   * `barostatTime` 1000 fs, `pressure` 0 eV/Å³
   */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A single evaluation of energy, forces and stress. */
export interface SinglePointStage {
  /** Kind of the stage. */
  readonly stage: "singlepoint";
}

/** A stage of a recipe. */
export type RecipeStage = RelaxStage | MdStage | SinglePointStage;

/** A stage with all defaults filled in. */
export type FullStage =
  | Required<RelaxStage>
  | Required<Omit<MdStage, "temperature">> & Pick<MdStage, "temperature">
  | SinglePointStage;

const STAGES = ["relax", "md", "singlepoint"] as const;
const OPTIMIZERS = ["lbfgs", "fire", "fire2"];
const INTEGRATORS = ["nve", "langevin", "bussi", "nose-hoover", "npt", "nph"];

/** Defaults of the options of integrators: times in fs, friction in 1/fs, pressure in eV/Å³. */
const MD_DEFAULTS = {
  "nve": { dt: 1 },
  "langevin": { dt: 1, friction: 0.01 },
  "bussi": { dt: 1, thermostatTime: 100 },
  "nose-hoover": { dt: 1, thermostatTime: 100 },
  "npt": { dt: 1, thermostatTime: 100, barostatTime: 1000, pressure: 0 },
  "nph": { dt: 1, barostatTime: 1000, pressure: 0 },
} as const;

/** Options of engines that a campaign sets by itself, so that a recipe must not have them. */
const OWN = [
  "model",
  "hooks",
  "nSteps",
  "backend",
  "device",
  "threads",
  "signal",
  "onWarning",
  "seed",
  "name",
  "temperature",
];

/** Checks the stages of a recipe, and fills in their defaults. Errors begin with `action`, and name the stage. */
export function readStages(action: string, stages: unknown): readonly FullStage[] {
  if (!Array.isArray(stages) || stages.length === 0) {
    throw new TypeError(
      `Cannot ${action}: stages must be a list of at least one stage, such as [{ "stage": "relax" }]; got ${
        show(stages)
      }`,
    );
  }
  return stages.map((stage, i) => readStage(action, `stages[${i}]`, stage));
}

function readStage(action: string, path: string, given: unknown): FullStage {
  if (!isObject(given)) {
    throw new TypeError(`Cannot ${action}: ${path} must be an object; got ${show(given)}`);
  }
  const { stage } = given;
  checkChoice(action, `${path}.stage`, stage, STAGES);
  switch (stage as FullStage["stage"]) {
    case "relax":
      return readRelax(action, path, given);
    case "md":
      return readMd(action, path, given);
    case "singlepoint":
      checkKeys(action, path, given, ["stage"]);
      return { stage: "singlepoint" };
  }
}

function readRelax(action: string, path: string, given: Members): FullStage {
  checkKeys(action, path, given, ["stage", "optimizer", "fmax", "steps", "options"]);
  const { optimizer = "lbfgs", fmax = 0.05, steps = 500, options = {} } = given;
  checkChoice(action, `${path}.optimizer`, optimizer, OPTIMIZERS);
  checkNumber(action, `${path}.fmax`, fmax, POSITIVE);
  checkNumber(action, `${path}.steps`, steps, wholeFrom(1));
  checkEngineOptions(action, `${path}.options`, options);
  return { stage: "relax", optimizer, fmax, steps, options } as FullStage;
}

function readMd(action: string, path: string, given: Members): FullStage {
  checkKeys(action, path, given, ["stage", "integrator", "steps", "temperature", "options"]);
  const { integrator = "langevin", steps, temperature, options = {} } = given;
  checkChoice(action, `${path}.integrator`, integrator, INTEGRATORS);
  checkNumber(action, `${path}.steps`, steps, wholeFrom(1));
  const isOptional = integrator === "nve" || integrator === "nph";
  if (temperature !== undefined || !isOptional) {
    checkNumber(action, `${path}.temperature`, temperature, NOT_NEGATIVE);
  }
  checkEngineOptions(action, `${path}.options`, options);
  const defaults = MD_DEFAULTS[integrator as keyof typeof MD_DEFAULTS];
  const full = { stage: "md", integrator, steps, options: { ...defaults, ...options as Members } };
  return (temperature === undefined ? full : { ...full, temperature }) as FullStage;
}

function checkEngineOptions(action: string, path: string, options: unknown): void {
  if (!isObject(options)) {
    throw new TypeError(`Cannot ${action}: ${path} must be an object; got ${show(options)}`);
  }
  const own = OWN.find((name) => Object.hasOwn(options, name));
  if (own === undefined) return;
  const instead = own === "temperature"
    ? "pass temperature beside options"
    : "the campaign sets this option";
  throw new TypeError(`Cannot ${action}: ${path} must not have ${own}: ${instead}`);
}

/** Throws a RangeError that suggests the most similar choice if a value is not one of `choices`. */
function checkChoice(
  action: string,
  path: string,
  value: unknown,
  choices: readonly string[],
): void {
  if (choices.includes(value as string)) return;
  throw new RangeError(
    `Cannot ${action}: ${path} must be one of ${choices.join(", ")}; got ${show(value)}${
      typeof value === "string" ? didYouMean(value, choices) : ""
    }`,
  );
}
