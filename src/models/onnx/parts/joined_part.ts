/**
 * Evaluation of all systems of a batch in one run of a model, without those that are finished.
 *
 * @module
 */

import type { Outputs } from "../../../onnx/session/session_tensor.ts";
import type { OnnxBindings, OnnxInputBinding } from "../bindings.ts";
import { ChosenSystems } from "./chosen_systems.ts";
import { hasFreeLength } from "./companion.ts";
import type { OnnxConstants } from "../fills.ts";
import { type HostModel, HostPart } from "./host_part.ts";
import type { OnnxArrays, OnnxPart } from "../onnx_part.ts";

/** The active systems of a batch, of which at least one and not all are active. */
interface ActiveSystems {
  /** One flag per system of the batch. */
  readonly active: Int32Array;
  readonly systems: ChosenSystems;
  readonly part: HostPart;
}

/**
 * All systems of a batch. The model receives only the active ones. Which systems it receives depends on nothing but
 * the current flags, so that a run that is resumed from a checkpoint gets the same inputs as one that was not
 * interrupted.
 */
export class JoinedPart {
  /** All systems of the batch. */
  readonly part: OnnxPart;
  readonly #model: HostModel;
  readonly #constants: OnnxConstants;
  readonly #whole: HostPart;
  readonly #mayChoose: boolean;
  #some: ActiveSystems | undefined;

  /**
   * Prepares the inputs that do not change. Throws a RangeError if a constant of the manifest does not fit its shape.
   */
  constructor(
    model: HostModel,
    systems: readonly [from: number, to: number],
    constants: OnnxConstants,
  ) {
    this.#model = model;
    this.#constants = constants;
    this.#whole = new HostPart(model, systems, constants);
    this.part = this.#whole.part;
    this.#mayChoose = mayChooseSystems(model.bindings);
  }

  /**
   * Runs the model, and returns its outputs. Those of systems that are not active may be 0. `arrays` are read before
   * the function awaits anything.
   */
  async run(arrays: OnnxArrays): Promise<Outputs> {
    if (!this.#mayChoose || !arrays.active.includes(0)) return await this.#whole.run(arrays);
    const { systems, part } = this.#activeIn(arrays.active);
    return systems.spread(await part.run(systems.arrays(arrays)), this.#model.bindings);
  }

  #activeIn(active: Int32Array): ActiveSystems {
    const before = this.#some;
    if (before?.active.every((one, s) => one === active[s])) return before;
    const systems = new ChosenSystems(this.#constants, active);
    const { constants } = systems;
    const part = new HostPart(this.#model, [0, constants.infos.length], constants);
    return this.#some = { active: active.slice(), systems, part };
  }
}

/**
 * Returns whether a model of whole batches may receive only some systems of a batch. It may not if an input or output
 * has a fixed length where systems or atoms are counted, or if an input does not come from the batch: functions of the
 * caller, and constants with a row per system or atom, may refer to systems by their indices.
 */
function mayChooseSystems({ inputs, outputs }: OnnxBindings): boolean {
  return inputs.every(mayBeShorter) && outputs.every(({ tensor }) => hasFreeLength(tensor));
}

function mayBeShorter({ meaning, tensor, form }: OnnxInputBinding): boolean {
  if (meaning === "derived") return false;
  if (meaning === "constant") return !hasFreeLength(tensor);
  return tensor.shape.every((length, axis) =>
    typeof length === "string" || length < 0 || typeof form?.[axis] === "number"
  );
}
