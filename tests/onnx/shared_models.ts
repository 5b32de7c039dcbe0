/**
 * The real models that stand beside the project: in `../shared/models`, or where the variable HOOKE_MODELS says.
 *
 * @module
 */

const FOLDER = Deno.env.get("HOOKE_MODELS") ??
  new URL("../../../shared/models", import.meta.url).pathname;

/** Are they there? */
export const hasModels: boolean = await Deno.stat(FOLDER).then(() => true, () => false);

if (!hasModels) console.log(`left out: tests with real models, as there are none at ${FOLDER}`);

/** The names of all model files. */
export const MODELS: readonly string[] = hasModels
  ? [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => name.endsWith(".onnx")).sort()
  : [];

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

/** What PyTorch made of one batch. */
export function readReference(model: string): Reference {
  return JSON.parse(Deno.readTextFileSync(`${FOLDER}/${model}_ref.json`));
}

/** What PyTorch made of the gradient of a loss on forces and energies, by all parameters. */
export function readSecondReference(model: string): Reference {
  return JSON.parse(Deno.readTextFileSync(`${FOLDER}/${model}_second_ref.json`));
}
