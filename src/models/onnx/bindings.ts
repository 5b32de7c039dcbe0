/**
 * What a model is fed and what comes out of it, tensor by tensor: the same wherever it runs.
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

/** An input and what it is fed. */
export interface OnnxInputBinding {
  /** The input. */
  readonly tensor: TensorInfo;
  /** What it means; `"constant"` is always the same, `"derived"` comes from a function of the user's. */
  readonly meaning: OnnxInput | "constant" | "derived";
  /** The list that it is fed of, if that is another than the one of the model's cutoff. */
  readonly list?: string;
  /** Its shape; none of those that are constant or derived. */
  readonly form: Form | undefined;
  /** How that is known: `"by its name"`. */
  readonly reason: string;
}

/** An output and what becomes of it. */
export interface OnnxOutputBinding {
  /** The output. */
  readonly tensor: TensorInfo;
  /** What it means; `"field"` is a field of the batch. */
  readonly meaning: OnnxOutput | "field";
  /** The name of the field. */
  readonly field: string | undefined;
  /** Whether it has a row per atom or per system; `undefined` where only a run tells. */
  readonly level: "node" | "system" | undefined;
  /** Numbers per row. */
  readonly width: number;
  /** What it is multiplied by: units, and what the manifest says. */
  readonly scale: number;
  /** How that is known. */
  readonly reason: string;
}

/** All tensors of a model that are used. */
export interface OnnxBindings {
  /** All inputs, in the model's order. */
  readonly inputs: readonly OnnxInputBinding[];
  /** The outputs that are used. */
  readonly outputs: readonly OnnxOutputBinding[];
  /** Whether it takes all systems at once, or one at a time. */
  readonly batch: "joined" | "single";
  /** Whether lists are padded; `undefined` if nobody says so: then only on a GPU, if padding changes nothing. */
  readonly padding: boolean | undefined;
  /** Whether it is fed edges. */
  readonly hasEdges: boolean;
  /** Whether it is fed triplets. */
  readonly hasTriplets: boolean;
  /** How its lists differ from those of the kernels. */
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

/** What follows from the meanings of all tensors. */
export function bindingsOf(
  inputs: readonly OnnxInputBinding[],
  outputs: readonly OnnxOutputBinding[],
  manifest: OnnxManifest,
): OnnxBindings {
  const has = (set: ReadonlySet<string>) => inputs.some(({ meaning }) => set.has(meaning));
  // A function of the user's may want whatever there is.
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
    batch: manifest.batch ?? (isOfOne(inputs) || !has(OF_BATCHES) ? "single" : "joined"),
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

/** Whether an input has no place for a second system. */
export function isOfOne(inputs: readonly OnnxInputBinding[]): boolean {
  return inputs.some(({ meaning, form }) =>
    form !== undefined && (form[0] === 1 && form.length > 1) ||
    (meaning === "cell" && form?.[0] === 3) || (meaning === "pbc" && form?.length === 1)
  );
}

/** Along which axis the rows are: behind a 1 there may be atoms. */
function rowsAxis({ shape }: TensorInfo): 0 | 1 {
  const [first, second] = shape;
  const isFree = typeof second === "string" || (second ?? 0) < 0;
  return first === 1 && isFree ? 1 : 0;
}

/** Whether an output has a row per atom or per system, as far as its shape tells. */
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

/** Numbers per row of an output, as far as its shape tells. */
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

/** What an output is multiplied by so that it is in eV and Å; fields stay as they are. */
export function scaleOf(
  meaning: OnnxOutput | "field",
  { energy, length }: OnnxUnits = unitsOf({}),
): number {
  if (meaning === "field") return 1;
  if (meaning === "energy" || meaning === "virial") return energy;
  if (meaning === "stress") return energy / length ** 3;
  return (meaning === "gradient" ? -1 : 1) * energy / length;
}
