/**
 * Potentials of runs in a tab: built-in ones, and dropped .onnx files.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { NOBLE_GASES } from "../../cli/run/noble_gases.ts";
import { type OpenPotential, openPotential } from "../../cli/run/potential.ts";
import type { PotentialSettings } from "../../cli/run/table.ts";
import { sha256 } from "./digest.ts";
import type { TabFile } from "./messages.ts";

/** Inputs of a potential in a tab, besides its settings. */
export interface TabPotentialNeeds {
  /** The dropped file; undefined for a built-in potential. */
  readonly model: TabFile | undefined;
  readonly manifest: TabFile | undefined;
  /** Elements of the structures. */
  readonly symbols: readonly string[];
  /** True if the run needs stresses. */
  readonly needsStress: boolean;
  warn(message: string): void;
}

/**
 * Opens the potential of a run.
 *
 * @throws {RangeError} if there is no potential for an element
 * @throws {Error} if the file cannot be opened, or does not state what its inputs are
 */
export async function openTabPotential(
  settings: PotentialSettings,
  needs: TabPotentialNeeds,
): Promise<OpenPotential> {
  const { model, symbols, warn } = needs;
  if (model !== undefined) return await openDropped(model, settings, needs);
  const { model: name = "lj" } = settings;
  if (!/^lj(:|$)/i.test(name)) {
    throw new RangeError(
      `Cannot use the potential ${name} in a page: drop its .onnx file, or choose lj`,
    );
  }
  const others = symbols.filter((symbol) => !Object.hasOwn(NOBLE_GASES, symbol));
  if (others.length > 0) {
    throw new RangeError(
      `Cannot run without an .onnx file: the structures have ${
        others.join(", ")
      }, and the built-in potential is for ${
        Object.keys(NOBLE_GASES).join(", ")
      }. Drop an .onnx file of a potential for them, too`,
    );
  }
  return await openPotential(settings, symbols, { warn });
}

async function openDropped(
  { name, bytes }: TabFile,
  { device = "auto", threads, runtime, modelOptions }: PotentialSettings,
  { manifest, needsStress, warn: onWarning }: TabPotentialNeeds,
): Promise<OpenPotential> {
  const { OnnxModel } = await import("../../models/onnx/onnx_model.ts");
  const stress = needsStress && !Object.hasOwn(modelOptions, "stress");
  try {
    const model = await OnnxModel.open(bytes, {
      ...stress && { stress },
      name,
      ...manifest !== undefined && { manifest: manifest.bytes },
      ...modelOptions,
      runtime,
      threads,
      onWarning,
    });
    return {
      model,
      name,
      sha256: await sha256(bytes),
      engine: { device },
      [Symbol.asyncDispose]: () => model.dispose(),
    };
  } catch (cause) {
    throw new Error(`Cannot open ${name}: ${reasonOf(cause)}${adviceFor(cause)}`, { cause });
  }
}

/** Returns advice for a model whose inputs are not known. */
function adviceFor(error: unknown): string {
  const { name, message } = error as Error;
  const isUnknown = name === "ModelMismatchError" || /must be known|is required/.test(message);
  return isUnknown
    ? '. Drop its manifest (.json) with it, or write it as options of the model, such as {"cutoff": 5}'
    : "";
}
