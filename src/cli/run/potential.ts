/**
 * Potentials of commands: ONNX files by path or address, and built-in ones by name.
 *
 * @module
 */

import type { DeviceName } from "../../backend/devices.ts";
import type { Model } from "../../models/model.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { Structure } from "./structures.ts";
import { builtinPotential, isBuiltInName, NOBLE_GASES } from "./noble_gases.ts";
import type { PotentialSettings } from "./table.ts";

/** An opened potential. Disposing of it closes its sessions, if it has any. */
export interface OpenPotential extends AsyncDisposable {
  readonly model: Model;
  /** Name in reports: the name of a built-in potential, or the path or address of the file. */
  readonly name: string;
  /** SHA-256 of the file in hexadecimal; undefined for a built-in potential. */
  readonly sha256: string | undefined;
  /** Device and threads of the engine. */
  readonly engine: { readonly device: DeviceName; readonly threads?: number };
}

/** Options of {@linkcode openPotential}. */
export interface PotentialNeeds {
  /** Receives warnings of the model. */
  readonly warn: (message: string) => void;
  /** Option of the command line that needs stresses, such as `--cell`; undefined if no option does. */
  readonly stressFor?: string | undefined;
  /** Structures, which messages about their elements name. */
  readonly structures?: readonly Structure[];
}

/**
 * Opens the potential of a command for structures of the elements `symbols`. If an option needs stresses and the file
 * gives only energies, stresses are derived.
 *
 * @throws {UsageError} if no potential is given and the structures have other elements than noble gases, or if the
 * name is not a potential
 */
export async function openPotential(
  settings: PotentialSettings,
  symbols: readonly string[],
  needs: PotentialNeeds,
): Promise<OpenPotential> {
  const { model: spec } = settings;
  if (spec === undefined || isBuiltInName(spec)) {
    const nameOf = (strange: readonly string[]) => holdersOf(strange, needs.structures ?? []);
    return await openBuiltin(spec ?? defaultFor(symbols, nameOf), symbols, settings, nameOf);
  }
  return await openFile(spec, settings, needs);
}

/** Returns the beginning of a message about elements: `b.xyz has`, or `the structures have`. */
type NameOf = (symbols: readonly string[]) => string;

function holdersOf(symbols: readonly string[], structures: readonly Structure[]): string {
  const isHolder = ({ system }: Structure) => system.symbols.some((one) => symbols.includes(one));
  const first = structures.find(isHolder);
  if (first === undefined || structures.every(isHolder)) {
    return structures.length === 1 ? `${first?.label} has` : "the structures have";
  }
  const more = structures.filter(isHolder).length - 1;
  return more === 0 ? `${first.label} has` : `${first.label} and ${more} more have`;
}

/** Returns the name of the potential that is used without `--model`. */
function defaultFor(symbols: readonly string[], nameOf: NameOf): string {
  const others = symbols.filter((symbol) => !Object.hasOwn(NOBLE_GASES, symbol));
  if (others.length === 0) return "lj";
  throw new UsageError(
    `Cannot run without --model: ${nameOf(others)} ${
      others.join(", ")
    }, and the built-in potential is for ${
      Object.keys(NOBLE_GASES).join(", ")
    }. Pass --model FILE.onnx`,
  );
}

async function openBuiltin(
  name: string,
  symbols: readonly string[],
  { device = "wasm", threads }: PotentialSettings,
  nameOf: NameOf,
): Promise<OpenPotential> {
  const parameters = builtinPotential(name, symbols, nameOf);
  const { lennardJones } = await import("../../models/pair/lennard_jones.ts");
  return {
    model: lennardJones(parameters),
    name,
    sha256: undefined,
    engine: { device, ...(threads > 1 && { threads }) },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function openFile(
  spec: string,
  { device = "auto", threads, runtime, modelOptions }: PotentialSettings,
  { warn: onWarning, stressFor }: PotentialNeeds,
): Promise<OpenPotential> {
  const { findModelFile } = await import("./model_file.ts");
  const { source, sha256, download } = await findModelFile(spec, modelOptions);
  const { OnnxModel } = await import("../../models/onnx/onnx_model.ts");
  const options = { ...modelOptions, ...download, runtime, threads, onWarning };
  const stress = stressFor !== undefined && !Object.hasOwn(modelOptions, "stress");
  const { withOptionsNamed } = await import("./missing_options.ts");
  const open = () => OnnxModel.open(source, { ...stress && { stress }, ...options });
  const model = await withOptionsNamed(source, { ...modelOptions, ...download }, open)
    .catch((cause) => {
      throw stress && STRESS_REFUSED.test(String(cause)) ? stressRefusal(spec, stressFor) : cause;
    });
  return {
    model,
    name: String(source),
    sha256,
    engine: { device },
    [Symbol.asyncDispose]: () => model.dispose(),
  };
}

/** Message of a model that has an output of forces, but none of stresses. */
const STRESS_REFUSED = /stress: true derives stresses only together with forces/;

function stressRefusal(spec: string, option: string): UsageError {
  return new UsageError(
    `Cannot use ${option} with --model ${spec}: the file has an output of forces, or no energy, and no stresses. ` +
      `If it has an energy, --set modelOptions.differentiate=always derives forces and stresses from it. ` +
      `Otherwise leave out ${option}, or pass a file with stresses or energies`,
  );
}
