/**
 * The real models beside the project: in `../shared/models`, or in the folder that HOOKE_MODELS names. Tests that need
 * them are left out if they are missing.
 *
 * @module
 */

import { has, lacks, MODELS_FOLDER as FOLDER } from "../machine.ts";

/** The names that tests which are left out are counted by. */
const NAMES = [
  "ani1x_1_e.onnx",
  "ani1x_1_ef.onnx",
  "chgnet_e.onnx",
  "chgnet_ef.onnx",
  "mlp_e.onnx",
  "painnx_e.onnx",
  "schnet_e.onnx",
  "schnet_ef.onnx",
  "sevennet0_e.onnx",
  "sevennet0_ef.onnx",
];

/** The names of all model files. */
export const MODELS: readonly string[] = has("models")
  ? [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".onnx"))
    .sort()
  : NAMES;

/** Those without SevenNet-0 and CHGNet, whose thousands of nodes take seconds. */
export const SMALL_MODELS: readonly string[] = MODELS.filter((name) =>
  !/^(chgnet|sevennet0)_/.test(name)
);

/** Registers a test that reads real models. */
export function modelTest(name: string, fn: () => void | Promise<void>): void {
  Deno.test({ name, fn, ignore: lacks("models") });
}

/** The bytes of one. */
export function readModel(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(`${FOLDER}/${name}`);
}

/** A tensor as the references have it. */
export interface ReferenceTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly b64: string;
}

/** Inputs and outputs of one batch. */
export interface Reference {
  readonly inputs: Readonly<Record<string, ReferenceTensor>>;
  readonly outputs: Readonly<Record<string, ReferenceTensor>>;
}

/** Reads the results of PyTorch for one batch. */
export function readReference(model: string): Reference {
  return JSON.parse(Deno.readTextFileSync(`${FOLDER}/${model}_ref.json`));
}

/** Reads the gradient of a loss on forces and energies by all parameters, computed by PyTorch. */
export function readSecondReference(model: string): Reference {
  return JSON.parse(Deno.readTextFileSync(`${FOLDER}/${model}_second_ref.json`));
}
