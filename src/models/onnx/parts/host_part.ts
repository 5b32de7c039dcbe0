/**
 * Evaluation of one part of a batch on the host.
 *
 * @module
 */

import type { Session } from "../../../onnx/session/session_run.ts";
import type { Feeds, Outputs, TensorArray } from "../../../onnx/session/session_tensor.ts";
import { CompanionFeeds, mayHaveCompanion, type ModelReach } from "./companion.ts";
import { unknownElementError } from "../elements/unknown_element.ts";
import { PartFeeds } from "../feeds.ts";
import { nameOf, type OnnxConstants } from "../fills.ts";
import { type OnnxArrays, OnnxPart } from "../onnx_part.ts";

/** A model that runs on the host. */
export interface HostModel extends ModelReach {
  /** The session in which the model runs. */
  readonly session: Session;
}

/** The inputs of a run, with the state that its outputs depend on. */
interface Prepared {
  readonly feeds: Feeds;
  readonly companion: CompanionFeeds | undefined;
  /** True if a list is empty because no atom has a neighbor, and no companion was added. */
  readonly isAlone: boolean;
}

/**
 * A part of a batch whose lists are not padded, so that padding cannot affect the results. On the host, new shapes at
 * each run cost no measurable time.
 */
export class HostPart {
  /** The systems of the part, with the current lengths of their lists. */
  readonly part: OnnxPart;
  /** Names of the outputs to compute. */
  readonly names: readonly string[];
  readonly #model: HostModel;
  readonly #constants: OnnxConstants;
  readonly #feeds: PartFeeds;
  #companion: CompanionFeeds | undefined;

  /**
   * Prepares the inputs that do not change. Throws a RangeError if a constant of the manifest does not fit its shape.
   */
  constructor(
    model: HostModel,
    [from, to]: readonly [from: number, to: number],
    constants: OnnxConstants,
  ) {
    this.#model = model;
    this.#constants = constants;
    this.names = [...new Set(model.bindings.outputs.map(({ tensor }) => tensor.name))];
    this.part = new OnnxPart(constants.nodeOffsets, from, to);
    this.#feeds = new PartFeeds(model, this.part, constants);
  }

  /** Runs the model, and returns its outputs. `arrays` are read before the function awaits anything. */
  async run(arrays: OnnxArrays): Promise<Outputs> {
    return await this.#finish(this.#prepare(arrays));
  }

  #prepare(arrays: OnnxArrays): Prepared {
    const isEmpty = this.#feeds.hasEmptyList(arrays);
    if (!isEmpty || !mayHaveCompanion(this.#model)) {
      // Atoms at positions that are not finite have no neighbors, either. The engine reports them.
      const isAlone = isEmpty && arePlaced(arrays, this.part);
      return { feeds: this.#feeds.fill(arrays), companion: undefined, isAlone };
    }
    const companion = this.#companion ??= new CompanionFeeds(
      this.#model,
      this.part,
      this.#constants,
    );
    return { feeds: companion.fill(arrays), companion, isAlone: false };
  }

  async #finish({ feeds, companion, isAlone }: Prepared): Promise<Outputs> {
    const { session, bindings } = this.#model;
    try {
      const outputs = await session.run(feeds, this.names);
      if (companion !== undefined) return companion.own(outputs, bindings) ?? outputs;
      const nonFinite = isAlone && this.names.find((name) => !isFiniteOutput(outputs, name));
      if (typeof nonFinite === "string") {
        throw new RangeError(`output ${nonFinite} must be finite; got NaN or infinity`);
      }
      return outputs;
    } catch (error) {
      throw await this.#explained(error, feeds, isAlone);
    }
  }

  async #explained(error: unknown, feeds: Feeds, isAlone: boolean): Promise<unknown> {
    if (!(error instanceof RangeError)) return error; // not caused by the graph, but by the runtime or the device
    const { name, session, bindings } = this.#model, constants = this.#constants;
    const unknown = /out of (data )?bound/i.test(error.message)
      ? await unknownElementError(name, { session, bindings, feeds, constants }, error)
      : undefined;
    return unknown ?? (isAlone ? this.#withoutEdges(error) : error);
  }

  /** Returns the error for a graph that fails because a list is empty. */
  #withoutEdges(cause: RangeError): RangeError {
    const { name, cutoff, reach, bindings } = this.#model, { sizes, systems: [system] } = this.part;
    const where = bindings.batch === "joined"
      ? "a batch"
      : `system ${nameOf(this.#constants, system)}`;
    const lacking = sizes.E === 0
      ? `none of its atoms has a neighbor within ${cutoff} Å, and the graph fails without edges`
      : `none of its atoms has two neighbors within ${reach} Å, and the graph fails without triplets`;
    return new RangeError(
      `Cannot run ${name} on ${where}: ${lacking} (${cause.message}). ` +
        "Leave such systems out, or export the model with an input that gives the system of each atom (batchIndex)",
      { cause },
    );
  }
}

/** Returns whether all values of an output are finite. */
export function isFiniteOutput(outputs: Outputs, name: string): boolean {
  return Array.from(dataOf(outputs, name), Number).every(Number.isFinite);
}

/** Returns the values of an output in host memory. */
export function dataOf(outputs: Outputs, name: string): TensorArray {
  return (outputs[name] as Extract<Outputs[string], { location: "host" }>).data;
}

function arePlaced({ positions }: OnnxArrays, { nodes: [from, to] }: OnnxPart): boolean {
  return positions.subarray(3 * from, 3 * to).every(Number.isFinite);
}
