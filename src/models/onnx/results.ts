/**
 * Results of a model: buffers for its outputs, and their conversion.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { addModel } from "../../kernels/add_model.ts";
import { signedVolume } from "../../kernels/cells/inverse.ts";
import type { Outputs } from "../../onnx/session/session_tensor.ts";
import { outputsOf, type Wanted } from "../model.ts";
import type { OnnxBindings, OnnxOutputBinding } from "./bindings.ts";
import { ensureField } from "./field.ts";
import type { OnnxArrays, OnnxPart } from "./onnx_part.ts";

/** Values of an output. 64-bit integers are converted to numbers. */
type Values = ArrayLike<number>;

/** Largest number of nodes with a steep slope that a message lists. */
const MOST_PLACES = 3;

/** Returns the last clause of a message, which lists the nodes in `steep`; `""` if there are no such nodes. */
function causes(steep: readonly string[]): string {
  if (steep.length === 0) return "";
  const more = steep.length > MOST_PLACES ? ", and others, see describe()" : "";
  return `; on their path the graph has ${steep.slice(0, MOST_PLACES).join(", ")}${more}`;
}

/** Last clause of a message about forces of a file that has an energy, too. */
const OTHER_FORCES =
  '; the file itself computes these forces: { differentiate: "always" } derives them from its energy instead';

/** Outputs of a model for a batch. Buffers hold the outputs of a run until a kernel adds them to the batch. */
export class OnnxResults {
  readonly #model: string;
  readonly #state: ResidentBatch;
  readonly #bindings: OnnxBindings;
  readonly #constants: Buffer<"f64"> | undefined;
  readonly #buffers = new Map<OnnxOutputBinding, Buffer<"real">>();
  readonly #seen: { readonly isActive: Int32Array; readonly volumes: Float64Array };

  /**
   * Allocates the buffers. `constants` are energies in eV that are added, one per system. Throws a TypeError if a
   * field of the batch has another level or width.
   */
  constructor(
    model: string,
    state: ResidentBatch,
    bindings: OnnxBindings,
    constants: Float64Array | undefined,
  ) {
    this.#model = model;
    this.#state = state;
    this.#bindings = bindings;
    this.#constants = constants && state.constants("f64", constants);
    const { size } = state.batch;
    this.#seen = { isActive: new Int32Array(size), volumes: new Float64Array(size) };
    const of = `${model} ${countOf(state)}`;
    for (const output of bindings.outputs) {
      const { meaning, field, level } = output;
      if (meaning === "field") {
        ensureField(model, state, output);
        this.#buffers.set(output, state.field(field!));
        continue;
      }
      const width = meaning === "stress" || meaning === "virial" ? 9 : output.width;
      const shape = { dtype: "real", level: level ?? "system", width } as const;
      this.#buffers.set(output, state.scratch(`${of} ${output.tensor.name} ${meaning}`, shape));
    }
  }

  /**
   * Returns the buffer of an output. Its values are in the model's units, except for fields, whose values are already
   * multiplied by their scale.
   */
  bufferOf(output: OnnxOutputBinding): Buffer<"real"> {
    return this.#buffers.get(output)!;
  }

  /** Names of the outputs to compute. */
  get names(): readonly string[] {
    return [...new Set(this.#bindings.outputs.map(({ tensor }) => tensor.name))];
  }

  /**
   * Records which systems of a part are active, and the volumes of their cells. Must be called before each run of the
   * part.
   */
  recordSystems({ systems: [from, to] }: OnnxPart, { active, cell }: OnnxArrays): void {
    const { isActive, volumes } = this.#seen;
    for (let s = from; s < to; s++) {
      isActive[s] = active[s]!;
      volumes[s] = Math.abs(signedVolume(cell, 9 * s));
    }
  }

  /** Stores the outputs of a run of a part. Throws a RangeError if an output has a wrong length. */
  store(part: OnnxPart, given: Outputs): void {
    for (const output of this.#bindings.outputs) {
      const values = valuesOf(given, output.tensor.name);
      const { meaning } = output;
      if (meaning === "field") this.#storeField(output, part, values);
      else if (meaning === "stress" || meaning === "virial") {
        this.#storeStress(output, part, values);
      } else if (meaning === "energy") this.#storeEnergy(output, part, values);
      else this.#storeRows(output, part, values);
    }
  }

  /** Returns the kernel calls that add the stored outputs to the batch. */
  add({ energy, stress }: Wanted): readonly KernelCall[] {
    const find = (...meanings: readonly string[]) =>
      this.#bindings.outputs.find(({ meaning }) => meanings.includes(meaning));
    const energies = energy ? find("energy") : undefined;
    const forces = find("forces", "gradient");
    const stresses = stress ? find("stress", "virial") : undefined;
    const buffer = (output: OnnxOutputBinding | undefined) => output && this.#buffers.get(output);
    return [call(addModel, {
      energies: buffer(energies),
      atomForces: buffer(forces),
      stresses: buffer(stresses),
      constants: this.#constants,
      cell: this.#state.field("cell"),
      ...outputsOf(this.#state),
      perAtom: energies?.level === "node" ? 1 : 0,
      energyUnit: energies?.scale ?? 1,
      forceUnit: forces?.scale ?? 1,
      stressUnit: stresses?.scale ?? 1,
    })];
  }

  /**
   * Describes a value of the last run that is not finite in a system; undefined if all values are finite. For values
   * per atom, the description lists the nodes in `steep`, at which a derivative may be infinite. If `hasOwnForces` is
   * true and the energy is finite, it names the option that derives the forces from the energy.
   */
  async fault(
    system: number,
    { steep = [], hasOwnForces = false }: {
      readonly steep?: readonly string[];
      readonly hasOwnForces?: boolean;
    },
  ): Promise<string | undefined> {
    const { backend, batch: { nodeOffsets } } = this.#state;
    const [first, last] = [nodeOffsets[system]!, nodeOffsets[system + 1]!];
    for (const [{ tensor, level, meaning, width }, buffer] of this.#buffers) {
      if (meaning === "field") continue;
      const isNode = level === "node";
      const row = meaning === "stress" || meaning === "virial" ? 9 : width;
      const [from, to] = isNode ? [first, last] : [system, system + 1];
      const own = (await backend.read(buffer)).subarray(from * row, to * row);
      const at = own.findIndex((value) => !Number.isFinite(value));
      if (at === -1) continue;
      const atom = isNode ? ` of atom ${Math.floor(at / row)}` : "";
      const isForces = meaning === "forces" || meaning === "gradient";
      const other = isForces && hasOwnForces && await this.#hasFiniteEnergy(system);
      return `${tensor.name}${atom} is ${own[at]}${isNode ? causes(steep) : ""}${
        other ? OTHER_FORCES : ""
      }`;
    }
    return undefined;
  }

  /** Returns whether the file has an energy, and that of a system is finite in the last run. */
  async #hasFiniteEnergy(system: number): Promise<boolean> {
    const { backend, batch: { nodeOffsets } } = this.#state;
    for (const [{ level, meaning, width }, buffer] of this.#buffers) {
      if (meaning !== "energy") continue;
      const [from, to] = level === "node"
        ? [nodeOffsets[system]!, nodeOffsets[system + 1]!]
        : [system, system + 1];
      return (await backend.read(buffer)).subarray(from * width, to * width).every(Number.isFinite);
    }
    return false;
  }

  #storeRows(output: OnnxOutputBinding, part: OnnxPart, values: Values): void {
    const [from, to] = output.level === "node" ? part.nodes : part.systems;
    this.#assertLength(output, values, (to - from) * output.width);
    this.#state.backend.write(this.#buffers.get(output)!, values, from * output.width);
  }

  /** Stores energies. If their level is unknown, the number of values shows whether they are per system or per atom. */
  #storeEnergy(output: OnnxOutputBinding, part: OnnxPart, values: Values): void {
    if (output.level !== undefined || values.length === part.sizes.B) {
      return this.#storeRows(output, part, values);
    }
    this.#assertLength(output, values, part.sizes.N);
    const { nodeOffsets } = this.#state.batch;
    const [from, to] = part.systems;
    const sums = new Float64Array(to - from);
    for (let s = from; s < to; s++) {
      for (let a = nodeOffsets[s]!; a < nodeOffsets[s + 1]!; a++) {
        sums[s - from]! += values[a - part.nodes[0]]!;
      }
    }
    this.#state.backend.write(this.#buffers.get(output)!, sums, from);
  }

  #storeStress(output: OnnxOutputBinding, part: OnnxPart, values: Values): void {
    const { width, meaning } = output;
    const [from, to] = part.systems;
    this.#assertLength(output, values, (to - from) * width);
    const rows = new Float64Array(9 * (to - from));
    for (let s = 0; s < to - from; s++) {
      const unit = meaning === "stress" ? 1 : -1 / this.#seen.volumes[from + s]!;
      for (let k = 0; k < 9; k++) {
        const at = width === 6 ? VOIGT[k]! : k;
        rows[9 * s + k] = Number.isFinite(unit) ? unit * values[width * s + at]! : 0;
      }
    }
    this.#state.backend.write(this.#buffers.get(output)!, rows, 9 * from);
  }

  /** Stores a field. Values of inactive systems do not change. */
  #storeField(output: OnnxOutputBinding, part: OnnxPart, values: Values): void {
    const { field, level, width, scale } = output;
    const { backend, batch: { nodeOffsets } } = this.#state;
    const [from, to] = level === "node" ? part.nodes : part.systems;
    this.#assertLength(output, values, (to - from) * width);
    const buffer = this.#buffers.get(output)!;
    const rows = Float64Array.from(values, (value) => scale * value);
    for (let s = part.systems[0]; s < part.systems[1]; s++) {
      if (this.#seen.isActive[s] === 0) continue;
      const [first, last] = level === "node" ? [nodeOffsets[s]!, nodeOffsets[s + 1]!] : [s, s + 1];
      const own = rows.subarray((first - from) * width, (last - from) * width);
      backend.write(buffer, own, first * width);
    }
    this.#state.markChanged(field!);
  }

  #assertLength({ tensor, meaning, field }: OnnxOutputBinding, values: Values, length: number) {
    if (values.length === length) return;
    throw new RangeError(
      `Cannot use ${this.#model}: its output ${tensor.name}, used as ${
        field ?? meaning
      }, must have ${length} values for this batch; got ${values.length}`,
    );
  }
}

/** Number of models that were opened on each state, so that each model gets buffers with its own names. */
const COUNTS = new WeakMap<ResidentBatch, number>();

function countOf(state: ResidentBatch): number {
  const count = COUNTS.get(state) ?? 0;
  COUNTS.set(state, count + 1);
  return count;
}

/**
 * Index in the list xx, yy, zz, yz, xz, xy of each component of a matrix, in row-major order: xx, xy, xz, yx and so
 * on.
 */
const VOIGT = [0, 5, 4, 5, 1, 3, 4, 3, 2];

function valuesOf(given: Outputs, name: string): Values {
  const { data } = given[name] as { readonly data: ArrayLike<number | bigint> };
  return typeof data[0] === "bigint" ? Array.from(data, Number) : data as Values;
}
