/**
 * Bindings of a model's tensors, which state the meanings of its inputs and outputs. They are the same for every
 * backend and runtime.
 *
 * @module
 */

import type { TensorInfo } from "../../onnx/session/session_tensor.ts";
import type { OnnxInput, OnnxManifest, OnnxOutput } from "./manifest/manifest.ts";
import { type Form, OUTPUTS } from "./manifest/meanings.ts";
import { lengthName } from "./manifest/shapes.ts";
import type { ListRules } from "./lists/part_lists.ts";
import { unitsOf } from "./manifest/units.ts";
import type { OnnxUnits } from "./manifest/units.ts";

/** An input of a model and its meaning. */
export interface OnnxInputBinding {
  /** Name, type and shape of the input. */
  readonly tensor: TensorInfo;
  /** Meaning of the input. A `"constant"` input never changes; a custom function computes a `"derived"` input. */
  readonly meaning: OnnxInput | "constant" | "derived";
  /**
   * Name of the further list whose edges the input receives; `undefined` for the main list, which has the model's
   * cutoff.
   */
  readonly list?: string;
  /** Form of the input's shape; `undefined` for constant and derived inputs. */
  readonly form: Form | undefined;
  /** Evidence for the meaning, as `describe` shows it: `"by its name"`. */
  readonly reason: string;
}

/** An output of a model and its meaning. */
export interface OnnxOutputBinding {
  /** Name, type and shape of the output. */
  readonly tensor: TensorInfo;
  /** Meaning of the output; `"field"` if it is written to a field of the batch. */
  readonly meaning: OnnxOutput | "field";
  /** Name of the field of the batch; `undefined` unless the meaning is `"field"`. */
  readonly field: string | undefined;
  /**
   * Rows of the output: `"node"` for one row per atom, `"system"` for one row per system. If the declared shape
   * allows both, it is `undefined`, and the number of rows in each run decides.
   */
  readonly level: "node" | "system" | undefined;
  /** Number of values per row. */
  readonly width: number;
  /** Factor by which the values are multiplied: the conversion of units times the `scale` of the manifest. */
  readonly scale: number;
  /** Evidence for the meaning, as `describe` shows it: `"by its name"`. */
  readonly reason: string;
}

/** Bindings of all tensors that a model uses. */
export interface OnnxBindings {
  /** All inputs, in the order of the model. */
  readonly inputs: readonly OnnxInputBinding[];
  /** The outputs that have a meaning. Other outputs are ignored. */
  readonly outputs: readonly OnnxOutputBinding[];
  /** Systems that one run takes: `"joined"` for all systems of a batch, `"single"` for one system. */
  readonly batch: "joined" | "single";
  /**
   * True if lists are padded, false if they must not be padded. If it is `undefined`, lists are padded only on a GPU,
   * after a comparison has shown that padding does not change the results.
   */
  readonly padding: boolean | undefined;
  /** True if the model needs lists of edges. */
  readonly hasEdges: boolean;
  /** True if the model needs lists of triplets. */
  readonly hasTriplets: boolean;
  /** Requirements for the lists, which determine their conversion from the lists of the kernels. */
  readonly rules: ListRules;
}

const OF_EDGES: ReadonlySet<string> = new Set(
  [
    "edges",
    "edgeSources",
    "edgeTargets",
    "shifts",
    "cellShifts",
    "reverseEdges",
    "edgeBonds",
    "bondEdges",
    "neighborMatrix",
    "neighborShifts",
    "neighborMask",
    "edgeBatchIndex",
    "edgeCount",
  ],
);
const OF_TRIPLETS: ReadonlySet<string> = new Set(["tripletCenters", "tripletEdges", "bondGraph"]);
const OF_MATRICES: ReadonlySet<string> = new Set(
  ["neighborMatrix", "neighborShifts", "neighborMask"],
);
const OF_BONDS: ReadonlySet<string> = new Set(["edgeBonds", "bondEdges", "bondGraph"]);
const OF_BATCHES: ReadonlySet<string> = new Set(
  ["batchIndex", "edgeBatchIndex", "systems", "systemSizes", "systemOffsets", "systemCount"],
);

/** Returns the bindings of a model with these inputs and outputs. */
export function bindingsOf(
  inputs: readonly OnnxInputBinding[],
  outputs: readonly OnnxOutputBinding[],
  manifest: OnnxManifest,
): OnnxBindings {
  const has = (set: ReadonlySet<string>) => inputs.some(({ meaning }) => set.has(meaning));
  // A custom function may use any of its arguments, so edges and triplets are listed if the manifest allows it.
  const isDerived = inputs.some(({ meaning }) => meaning === "derived");
  const hasTriplets = has(OF_TRIPLETS) || (isDerived && manifest.reach !== undefined);
  const others = Object.entries(manifest.lists ?? {}).map(([name, { cutoff, nearest }]) => ({
    name,
    cutoff,
    nearest,
  }));
  const hasBonds = has(OF_BONDS), hasMatrix = has(OF_MATRICES);
  return {
    inputs,
    outputs,
    batch: manifest.batch ?? (isSingleSystem(inputs) || !has(OF_BATCHES) ? "single" : "joined"),
    padding: hasBonds || hasMatrix || others.length > 0 ||
        inputs.some(({ meaning }) => meaning === "cellShifts")
      ? false
      : manifest.padding,
    rules: {
      isOrdered: hasTriplets && manifest.triplets === "ordered",
      hasBonds,
      hasMatrix,
      cutoff: others.some((other) => other.cutoff > (manifest.cutoff ?? 0))
        ? manifest.cutoff
        : undefined,
      nearest: manifest.nearest,
      others,
    },
    hasEdges: hasTriplets || has(OF_EDGES) || (isDerived && manifest.cutoff !== undefined),
    hasTriplets,
  };
}

/** Returns whether the shape of an input allows only one system. */
export function isSingleSystem(inputs: readonly OnnxInputBinding[]): boolean {
  return inputs.some(({ meaning, form }) =>
    form !== undefined && (form[0] === 1 && form.length > 1) ||
    (meaning === "cell" && form?.[0] === 3) || (meaning === "pbc" && form?.length === 1)
  );
}

/** Returns the axis that counts rows: axis 1 if the shape is [1, rows, …], otherwise axis 0. */
function rowsAxis({ shape }: TensorInfo): 0 | 1 {
  const [first, second] = shape;
  const isFree = typeof second === "string" || (second ?? 0) < 0;
  return first === 1 && isFree ? 1 : 0;
}

/**
 * Returns `"node"` if an output has a row per atom, `"system"` if it has a row per system, and `undefined` if its
 * shape allows both. `nodes` is the name of the dimension that counts atoms.
 */
export function levelOf(
  meaning: OnnxOutput | "field",
  tensor: TensorInfo,
  nodes: string | undefined,
): "node" | "system" | undefined {
  if (meaning === "forces" || meaning === "gradient") return "node";
  if (meaning === "stress" || meaning === "virial") return "system";
  const length = tensor.shape[rowsAxis(tensor)];
  const name = lengthName(length);
  if (length === 1) return "system";
  if (name === undefined || nodes === undefined) return undefined;
  return name === nodes ? "node" : "system";
}

/** Returns the number of values per row of an output; `undefined` if the shape leaves it open. */
export function widthOf(meaning: OnnxOutput | "field", tensor: TensorInfo): number | undefined {
  if (meaning === "energy") return 1;
  if (meaning === "forces" || meaning === "gradient") return 3;
  const { shape } = tensor;
  const isTensor = meaning !== "field" &&
    OUTPUTS[meaning].forms.some((form) =>
      form.length === shape.length &&
      form.every((axis, i) => typeof axis === "number" && axis === shape[i])
    );
  const row = isTensor ? shape : shape.slice(rowsAxis(tensor) + 1);
  return row.every((length) => typeof length === "number" && length > 0)
    ? row.reduce<number>((product, length) => product * Number(length), 1)
    : undefined;
}

/** Returns the factor that converts an output to eV and Å. It is 1 for fields, which are not converted. */
export function scaleOf(
  meaning: OnnxOutput | "field",
  { energy, length }: OnnxUnits = unitsOf({}),
): number {
  if (meaning === "field") return 1;
  if (meaning === "energy" || meaning === "virial") return energy;
  if (meaning === "stress") return energy / length ** 3;
  return (meaning === "gradient" ? -1 : 1) * energy / length;
}
