/**
 * The configuration of a run of dynamics as it is stored in the run folder: all settings with their defaults, and what
 * was found out from files.
 *
 * @module
 */

import { builtin } from "../../platform/process.ts";
import type { OpenPotential } from "../run/potential.ts";
import { elementsOf, type Structure } from "../run/structures.ts";
import type { WatchSettings } from "../watch/watch.ts";
import type { MdSettings } from "./settings.ts";

/** Facts about the input of a run. */
export interface RunFacts {
  /** Elements of the structures. */
  readonly elements: readonly string[];
  /** Structures by name, with their numbers of atoms. */
  readonly structures: readonly { readonly label: string; readonly atoms: number }[];
  /** Name, path or address of the potential. */
  readonly potential: string;
  /** SHA-256 of the file of the potential; null for a built-in potential. */
  readonly modelSha256: string | null;
  /** True if a structure has a pressure: it is periodic in all directions, and the potential gives stresses. */
  readonly hasPressure: boolean;
}

/** Settings that do not belong to a run, but to one call of the command. */
export type CallSettings =
  | "config"
  | "set"
  | "dryRun"
  | "json"
  | "quiet"
  | "overwrite"
  | "out"
  | keyof WatchSettings;

/** The stored configuration. */
export type MdConfig = Omit<MdSettings, CallSettings | "steps" | "time"> & {
  readonly command: "md";
  readonly steps: number;
  readonly facts: RunFacts;
};

/** Names of the settings that are not stored. */
const OF_CALL: ReadonlySet<string> = new Set([
  "config",
  "set",
  "dryRun",
  "json",
  "quiet",
  "overwrite",
  "out",
  "steps",
  "time",
  "watch",
  "watchPort",
]);

/** Returns the facts about structures and a potential. */
export function factsOf(
  structures: readonly Structure[],
  { name, sha256, model }: OpenPotential,
): RunFacts {
  const isPeriodic = structures.some(({ system }) => system.pbc.every((one) => one === 1));
  return {
    elements: elementsOf(structures),
    structures: structures.map(({ label, system }) => ({ label, atoms: system.nodeCount })),
    potential: name,
    modelSha256: sha256 ?? null,
    hasPressure: isPeriodic && model.gives.includes("stress"),
  };
}

/** Returns the configuration of a run. Paths are absolute, so that the run can be resumed from any folder. */
export function configOf(settings: MdSettings, facts: RunFacts): MdConfig {
  const { resolve } = builtin("node:path");
  const { model, files, hooks, topology } = settings;
  const isPath = model !== undefined && !/^(lj(:|$)|https?:)/i.test(model);
  const kept = Object.entries(settings).filter(([name, value]) =>
    !OF_CALL.has(name) && value !== undefined
  );
  return {
    command: "md",
    ...Object.fromEntries(kept),
    steps: stepsOf(settings),
    files: files.map((file) => resolve(file)),
    hooks: hooks.map((file) => resolve(file)),
    ...(topology !== undefined && { topology: resolve(topology) }),
    ...(isPath && { model: resolve(model) }),
    facts,
  } as unknown as MdConfig;
}

/** Returns the number of steps. */
export function stepsOf({ steps, time, dt }: Pick<MdSettings, "steps" | "time" | "dt">): number {
  return steps ?? (time === undefined ? 1000 : Math.round(time * 1000 / dt));
}
