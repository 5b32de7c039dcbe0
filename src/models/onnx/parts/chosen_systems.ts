import type { Outputs, TensorArray } from "../../../onnx/session/session_tensor.ts";
import type { OnnxBindings } from "../bindings.ts";
import type { OnnxConstants } from "../fills.ts";
import { ChosenLists } from "../lists/chosen_lists.ts";
import type { OnnxArrays } from "../onnx_part.ts";

/** Some systems of a batch as a batch of their own, in the same order. */
export class ChosenSystems {
  /** Values of the chosen systems that do not change during a run. */
  readonly constants: OnnxConstants;
  /** Indices of the chosen systems in the whole batch. */
  readonly #systems: Int32Array;
  /** Indices of their atoms in the whole batch. */
  readonly #nodes: Int32Array;
  readonly #all: OnnxConstants;
  readonly #lists: ChosenLists;

  /** Chooses the systems with 1 in `mask` of a batch that has these constants. */
  constructor(all: OnnxConstants, mask: Int32Array) {
    const { systemOfNode } = all;
    const systems = indicesWhere(mask.length, (s) => mask[s] === 1);
    const nodes = indicesWhere(systemOfNode.length, (a) => mask[systemOfNode[a]!] === 1);
    const ofSystems = newIndices(systems, mask.length);
    this.#systems = systems;
    this.#nodes = nodes;
    this.#all = all;
    this.#lists = new ChosenLists(newIndices(nodes, systemOfNode.length), ofSystems);
    this.constants = {
      numbers: chosenRows(all.numbers, nodes, 1),
      atomicNumbers: chosenRows(all.atomicNumbers, nodes, 1),
      masses: all.masses.length === 0 ? [] : chosenRows(all.masses, nodes, 1),
      pbc: all.pbc.length === 0 ? [] : chosenRows(all.pbc, systems, 3),
      systemOfNode: nodes.map((a) => ofSystems[systemOfNode[a]!]!),
      nodeOffsets: offsetsOf(systems, all.nodeOffsets),
      infos: Array.from(systems, (s) => all.infos[s]!),
      indices: systems,
    };
  }

  /** Returns the values of a step for the chosen systems. The lists are valid until the next call. */
  arrays({ active, positions, cell, charges, lists }: OnnxArrays): OnnxArrays {
    return {
      active: chosenRows(active, this.#systems, 1),
      positions: chosenRows(positions, this.#nodes, 3),
      cell: chosenRows(cell, this.#systems, 9),
      charges: charges && chosenRows(charges, this.#nodes, 1),
      lists: lists && this.#lists.copy(lists),
    };
  }

  /**
   * Returns outputs of the chosen systems as outputs of the whole batch, with 0 for all other systems. An output that
   * has neither a row per atom nor a row per system is returned unchanged.
   */
  spread(outputs: Outputs, bindings: OnnxBindings): Outputs {
    const { systemOfNode, nodeOffsets: { length } } = this.#all;
    const whole: Record<string, Outputs[string]> = { ...outputs };
    for (const { tensor: { name }, level, width } of bindings.outputs) {
      const tensor = outputs[name] as Extract<Outputs[string], { location: "host" }>;
      const isSystems = level === "system" ||
        (level === undefined && tensor.data.length === this.#systems.length * width);
      const rows = isSystems ? this.#systems : this.#nodes;
      if (tensor.data.length !== rows.length * width) continue;
      const count = isSystems ? length - 1 : systemOfNode.length;
      whole[name] = {
        ...tensor,
        data: spreadRows(tensor.data, rows, width, count),
      } as typeof tensor;
    }
    return whole;
  }
}

function indicesWhere(count: number, isChosen: (index: number) => boolean): Int32Array {
  return new Int32Array(count).map((_, i) => i).filter(isChosen);
}

/** Returns the position in `chosen` of each of `count` indices; −1 for an index that it does not contain. */
function newIndices(chosen: Int32Array, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  chosen.forEach((index, place) => places[index] = place);
  return places;
}

/** Returns the index of the first atom of each chosen system among their atoms, followed by the number of atoms. */
function offsetsOf(systems: Int32Array, offsets: Int32Array): Int32Array {
  const own = new Int32Array(systems.length + 1);
  systems.forEach((s, at) => own[at + 1] = own[at]! + offsets[s + 1]! - offsets[s]!);
  return own;
}

/** Returns a copy of some rows of `width` numbers. Typed arrays keep their type; lists become double precision. */
function chosenRows<T extends ArrayLike<number>>(values: T, rows: Int32Array, width: number): T {
  const Type = (ArrayBuffer.isView(values) ? values.constructor : Float64Array) as unknown as new (
    length: number,
  ) => Float64Array;
  const chosen = new Type(rows.length * width);
  // hot
  for (let r = 0; r < rows.length; r++) {
    const from = rows[r]! * width, to = r * width;
    for (let k = 0; k < width; k++) chosen[to + k] = values[from + k]!;
  }
  return chosen as unknown as T;
}

/** Returns `count` rows of `width` numbers: `values` in the rows with the indices `rows`, and 0 in all others. */
function spreadRows(
  values: TensorArray,
  rows: Int32Array,
  width: number,
  count: number,
): TensorArray {
  const whole = new (values.constructor as new (length: number) => Float64Array)(count * width);
  // Arrays of 64-bit integers hold BigInt, which a copy does not convert.
  const from = values as Float64Array;
  // hot
  for (let r = 0; r < rows.length; r++) {
    for (let k = 0, to = rows[r]! * width; k < width; k++) whole[to + k] = from[r * width + k]!;
  }
  return whole as TensorArray;
}
