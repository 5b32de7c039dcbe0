/**
 * Opening of a model's file in a session, comparison with its reference, and limitations that the file shows.
 *
 * @module
 */

import { opsetOf, OPSETS } from "../../onnx/codec/opset.ts";
import { isTranslationInvariant } from "../../onnx/infer/translation.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import type { OnnxBindings } from "./bindings.ts";
import { describeOnnx } from "./describe.ts";
import { splitEnergies } from "./elements/split_energies.ts";
import { hasOtherFiles, withMadeForces } from "./forces.ts";
import { withoutDerivable } from "./made/dropped_forces.ts";
import { matchedModel, SKIN } from "./matched_model.ts";
import { matchTensors } from "./manifest/match.ts";
import type { OnnxMatchable } from "./manifest/matchable.ts";
import type { OnnxOpened } from "./open_on_host.ts";
import type { LoadedOnnx, OnnxModelOptions } from "./options.ts";
import { missingReferenceReason } from "./reference/find_reference.ts";
import { Verification } from "./reference/verification.ts";
import { openOnnx } from "./session.ts";

/**
 * Returns whether a file shows that translations of a system do not change the results. The file must not yet contain
 * added forces. Returns false if custom functions compute inputs, or if the opset is not supported.
 */
export function isInvariantBy(
  { file }: LoadedOnnx,
  { inputs }: Pick<OnnxBindings, "inputs">,
): boolean {
  const opset = opsetOf(file);
  const isKnown = opset >= OPSETS.first && opset <= OPSETS.last;
  if (!isKnown || inputs.some(({ meaning }) => meaning === "derived")) return false;
  const positions = inputs.find(({ meaning }) => meaning === "positions");
  return positions !== undefined && isTranslationInvariant(file, positions.tensor.name);
}

/**
 * Returns the reasons why a GPU cannot run a file (`hostReason`) and why the evaluator cannot run it
 * (`evaluatorProblem`); `undefined` if the file shows no reason.
 */
export function limitationsOf(loaded: LoadedOnnx): {
  readonly hostReason: string | undefined;
  readonly evaluatorProblem: string | undefined;
} {
  const files = hasOtherFiles(loaded) ? "its weights are in other files" : undefined;
  const opset = opsetOf(loaded.file);
  const isUnsupported = opset < OPSETS.first || opset > OPSETS.last;
  const opsetProblem =
    `its opset is ${opset}; opsets ${OPSETS.first} to ${OPSETS.last} can be rewritten for WebGPU`;
  return {
    hostReason: files ?? (isUnsupported ? opsetProblem : undefined),
    evaluatorProblem: files,
  };
}

/**
 * Combines a model with its session, and assigns meanings to its tensors. Throws a ModelMismatchError if a meaning is
 * unknown or does not fit.
 */
export function openedModel(
  loaded: LoadedOnnx,
  session: Session,
  { derived = {}, skin = SKIN }: OnnxModelOptions,
  made: OnnxMatchable["made"] | undefined,
): OnnxOpened {
  const { name, manifest, by } = loaded, { inputs, outputs } = session;
  const bindings = matchTensors({
    name,
    inputs,
    outputs,
    manifest,
    by,
    derived: Object.keys(derived),
    ...(made === undefined ? {} : { made }),
  });
  return { ...matchedModel(loaded, bindings, derived), session, skin };
}

/** A model's file that is open in a session. */
export interface OpenedFile {
  /** The file as it runs, with forces if they were added. */
  readonly loaded: LoadedOnnx;
  /** The model in its session on the host. */
  readonly opened: OnnxOpened;
  /** True if translations do not change the results; see `Model.isInvariant`. */
  readonly isInvariant: boolean;
  /** Description of the tensors, units and elements as text. */
  readonly summary: string;
  /** The comparison with the reference; `undefined` if the model has no reference. */
  readonly verification: Verification | undefined;
  /** Result of the comparison on the host as text; `undefined` if the model has no reference. */
  readonly finding: string | undefined;
}

/**
 * Opens a session for a file, and compares the model with its reference if it has one. Throws the errors of
 * `OnnxModel.open`; if it throws, it first disposes of the session.
 */
export async function openLoaded(read: LoadedOnnx, options: OnnxModelOptions): Promise<OpenedFile> {
  const names = Object.keys(options.derived ?? {});
  const prepare = (file: LoadedOnnx) => splitEnergies(withoutDerivable(file, names), names);
  const given = prepare(read);
  const { loaded, onProcessor, made, steep, text } = await withMadeForces(given, options);
  const session = await openOnnx(
    options.runtime === "evaluator" ? loaded : onProcessor,
    options,
    made !== undefined,
  );
  try {
    const hasOwnForces = made === undefined;
    const opened = { ...openedModel(loaded, session, options, made), steep, hasOwnForces };
    const reopen = (other: LoadedOnnx) => openedModel(other, session, options, made);
    // Another manifest may change units and elements, so energies of free atoms are split off again.
    const again = given === read ? reopen : (other: LoadedOnnx) => reopen(prepare(other));
    const verification = verificationOf(read, options, opened, again);
    return {
      loaded,
      opened,
      isInvariant: loaded.manifest.invariant ?? isInvariantBy(given, opened.bindings),
      summary: [describeOnnx(loaded, opened), ...text, ...withoutReference(read, options)]
        .join("\n"),
      verification,
      finding: await verification?.onHost(),
    };
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

function withoutReference({ found, url }: LoadedOnnx, options: OnnxModelOptions): string[] {
  return found === undefined
    ? [`not compared with a reference: ${missingReferenceReason(url, options)}`]
    : [];
}

function verificationOf(
  read: LoadedOnnx,
  { derived, rules, passes }: OnnxModelOptions,
  opened: OnnxOpened,
  open: (loaded: LoadedOnnx) => OnnxOpened,
): Verification | undefined {
  const { found, manifest } = read;
  return found && new Verification({
    opened,
    manifest,
    found,
    isNameless: [derived, rules, passes].some((functions) => functions !== undefined),
    reopen: (other) => open({ ...read, manifest: other }),
  });
}
