/**
 * Check of the targets in the frames of a training.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { valuesOf } from "../../training/data/atoms_targets.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { Structure } from "../run/structures.ts";
import type { TrainSettings } from "./settings.ts";

/** A target, the name that the frames must have for it, and its flags. */
interface WantedTarget {
  readonly target: "energy" | "forces" | "stress";
  /** Names of the target in frames, of which one is enough. */
  readonly keys: readonly string[];
  readonly flag: string;
  /** Option that leaves out the target. */
  readonly without: string;
}

/** Fields that are numbers of the right count, but never targets. */
const NO_TARGETS: ReadonlySet<string> = new Set([
  "positions",
  "velocities",
  "momenta",
  "cell",
  "image",
  "images",
  "systemId",
  "step",
  "stepsDone",
  "time",
  "status",
  "sourceId",
  "sourceIndex",
  "dofRemoved",
]);

/**
 * Throws a UsageError if no frame has a target that the training needs. The message lists names in the frames that
 * may be meant, and the flag that selects one.
 */
export function checkTargets(
  command: string,
  structures: readonly Structure[],
  settings: TrainSettings,
): void {
  for (const { target, keys, flag, without } of wantedTargets(settings)) {
    const has = ({ system }: Structure) =>
      keys.some((key) => valuesOf(system, target, key) !== undefined);
    if (structures.some(has)) continue;
    const names = [...new Set(structures.flatMap(({ system }) => candidates(system, target)))];
    throw new UsageError(
      `Cannot ${command}: no frame has ${
        keys.map((key) => JSON.stringify(key)).join(" or ")
      } (${target}); ` + (names.length > 0
        ? `the frames have ${names.join(", ")}. Pass ${flag} ${names[0]}`
        : `the frames have no other numbers that may be meant. Pass ${flag} NAME`) +
        `, or ${without} to train without`,
    );
  }
}

function wantedTargets(settings: TrainSettings): readonly WantedTarget[] {
  const { energyKey, forcesKey, stressKey, virialKey } = settings;
  const all: readonly (WantedTarget & { readonly isWanted: boolean })[] = [
    {
      target: "energy",
      keys: [energyKey],
      flag: "--energy-key",
      without: "--energy-weight 0 --element-energies keep",
      isWanted: settings.energyWeight > 0 || settings.elementEnergies !== "keep",
    },
    {
      target: "forces",
      keys: [forcesKey],
      flag: "--forces-key",
      without: "--forces-weight 0",
      isWanted: settings.forcesWeight > 0,
    },
    {
      target: "stress",
      keys: virialKey === undefined ? [stressKey] : [stressKey, virialKey],
      flag: "--stress-key",
      without: "--stress-weight 0",
      isWanted: settings.stressWeight > 0,
    },
  ];
  return all.filter(({ isWanted }) => isWanted);
}

function candidates(system: System, target: WantedTarget["target"]): string[] {
  const names = [...system.fields().map(({ name }) => name), ...Object.keys(system.info)];
  return names.filter((name) =>
    !NO_TARGETS.has(name) && valuesOf(system, target, name) !== undefined
  );
}
