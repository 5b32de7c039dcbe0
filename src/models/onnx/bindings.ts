/**
 * Bindings of a model's tensors: the meanings of its inputs and outputs, on every backend and runtime.
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

/** An input with its meaning. */
export interface OnnxInputBinding {
  /** The input. */
  readonly tensor: TensorInfo;
  /** Meaning of the input; `"constant"` never changes, `"derived"` is computed by a custom function. */
  readonly meaning: OnnxInput | "constant" | "derived";
  /** Name of the list whose edges the input receives, if that is not the list of the model's cutoff. */
  readonly list?: string;
  /** Form of its shape; `undefined` for inputs that are constant or derived. */
  readonly form: Form | undefined;
  /** Evidence for the meaning: `"by its name"`. */
  readonly reason: string;
}

/** An output with its meaning. */
export interface OnnxOutputBinding {
  /** The output. */
  readonly tensor: TensorInfo;
  /** Meaning of the output; `"field"` is a field of the batch. */
  readonly meaning: OnnxOutput | "field";
  /** Name of the field; `undefined` for other outputs. */
  readonly field: string | undefined;
  /** Level of its rows; `undefined` if only a run shows it. */
  readonly level: "node" | "system" | undefined;
  /** Number of values per row. */
  readonly width: number;
  /** Factor that converts the output: units, and the scale of the manifest. */
  readonly scale: number;
  /** Evidence for the meaning. */
  readonly reason: string;
}

/** Bindings of all tensors that are used. */
export interface OnnxBindings {
  /** All inputs, in the model's order. */
  readonly inputs: readonly OnnxInputBinding[];
  /** The outputs that are used. */
  readonly outputs: readonly OnnxOutputBinding[];
  /** `"joined"` if the model takes all systems at once, `"single"` if it takes one at a time. */
  readonly batch: "joined" | "single";
  /**
   * True if lists are padded; `undefined` if the manifest does not state it: lists are then padded only on a
   * GPU, if padding does not change results.
   */
  readonly padding: boolean | undefined;
  /** True if the model has inputs of edges. */
  readonly hasEdges: boolean;
  /** True if the model has inputs of triplets. */
  readonly hasTriplets: boolean;
  /** Differences between the model's lists and those of the kernels. */
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

/** Derives the bindings from the meanings of all tensors. */
export function bindingsOf(
  inputs: readonly OnnxInputBinding[],
  outputs: readonly OnnxOutputBinding[],
  manifest: OnnxManifest,
): OnnxBindings {
  const has = (set: ReadonlySet<string>) => inputs.some(({ meaning }) => set.has(meaning));
  // A custom function may use any of the values, so all must be prepared.
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

/** Returns whether an input has no axis for a second system. */
export function isSingleSystem(inputs: readonly OnnxInputBinding[]): boolean {
  return inputs.some(({ meaning, form }) =>
    form !== undefined && (form[0] === 1 && form.length > 1) ||
    (meaning === "cell" && form?.[0] === 3) || (meaning === "pbc" && form?.length === 1)
  );
}

/** Returns the axis of the rows: a first axis of length 1 may precede the atoms. */
function rowsAxis({ shape }: TensorInfo): 0 | 1 {
  const [first, second] = shape;
  const isFree = typeof second === "string" || (second ?? 0) < 0;
  return first === 1 && isFree ? 1 : 0;
}

/** Returns the level of an output's rows, or `undefined` if its shape does not show it. */
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

/** Returns the number of values per row of an output, or `undefined` if its shape does not show it. */
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

/** Returns the factor that converts an output to eV and Å; fields are not converted. */
export function scaleOf(
  meaning: OnnxOutput | "field",
  { energy, length }: OnnxUnits = unitsOf({}),
): number {
  if (meaning === "field") return 1;
  if (meaning === "energy" || meaning === "virial") return energy;
  if (meaning === "stress") return energy / length ** 3;
  return (meaning === "gradient" ? -1 : 1) * energy / length;
}
