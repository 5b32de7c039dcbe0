import { didYouMean } from "../../base/did_you_mean.ts";
import type { Graph } from "../graph/graph.ts";
import { discardFacts, withSharedFacts } from "../infer/shared_facts.ts";
import { acosToAtan } from "./acos_to_atan.ts";
import { captureSafe } from "./capture_safe.ts";
import { clipCosines } from "./clip_cosines.ts";
import { constantOfShapeToExpand } from "./constant_of_shape_to_expand.ts";
import { contractSmallFirst } from "./products/contract_small_first.ts";
import { dropIdentities } from "./drop_identities.ts";
import { einsumToMatMul } from "./products/einsum_to_mat_mul.ts";
import { foldConstants } from "./fold_constants.ts";
import { int64ToInt32 } from "./int64_to_int32.ts";
import { matMulToMul } from "./products/mat_mul_to_mul.ts";
import { mergeEquals } from "./merge_equals.ts";
import { multiplyBeforeGather } from "./products/multiply_before_gather.ts";
import { multiplySmallFirst } from "./products/multiply_small_first.ts";
import type { Pass, PassOptions, PassReport } from "./pass.ts";
import { repeatShortAxes } from "./products/repeat_short_axes.ts";
import { reduceLastAxis } from "./reduce_last_axis.ts";
import { indexWholeRows } from "./rows/index_whole_rows.ts";
import { selectRowsFirst } from "./rows/select_rows_first.ts";
import { shareActivations } from "./slopes/share_activations.ts";
import { shareNormalized } from "./slopes/share_normalized.ts";
import { sigmoidFromParts } from "./sigmoid_from_parts.ts";

/** Passes that simplify a graph for any runtime, in the recommended order. */
export const SIMPLIFYING_PASSES: readonly Pass[] = [
  pass(
    "foldConstants",
    "evaluates constant subgraphs",
    foldConstants,
  ),
  pass("dropIdentities", "removes nodes that change nothing", dropIdentities),
  pass("einsumToMatMul", "writes Einsum as MatMul, or as Mul and ReduceSum", einsumToMatMul),
  pass("contractSmallFirst", "writes (a ⊗ b) · c as a · (b · c)", contractSmallFirst),
  pass("matMulToMul", "writes products of vectors as Mul, or as Mul and ReduceSum", matMulToMul),
  pass("clipCosines", "clips cosines that rounding moved beyond ±1", clipCosines),
  pass("sigmoidFromParts", "writes 1 / (1 + exp(−x)) as Sigmoid", sigmoidFromParts),
  pass(
    "multiplySmallFirst",
    "writes (a · b) · c as a · (b · c) if that is less work",
    multiplySmallFirst,
  ),
  pass(
    "reduceLastAxis",
    "removes axes of length 1 behind the one that is reduced",
    reduceLastAxis,
  ),
  pass("mergeEquals", "merges equal nodes", mergeEquals),
  pass("prune", "removes nodes that no output needs", (graph) => graph.prune()),
];

/** Passes that make a graph faster on the processor, and slower on WebGPU or unable to be recorded there. */
export const PROCESSOR_PASSES: readonly Pass[] = [
  pass("selectRowsFirst", "evaluates networks only for the rows that are used", selectRowsFirst),
  pass("multiplyBeforeGather", "multiplies rows before they are gathered", multiplyBeforeGather),
  pass("indexWholeRows", "gathers and scatters rows instead of elements", indexWholeRows),
  pass("repeatShortAxes", "repeats factors along short axes by MatMul", repeatShortAxes),
  pass(
    "shareNormalized",
    "writes LayerNormalization with the normalized values of its gradient",
    shareNormalized,
  ),
  pass(
    "shareActivations",
    "writes slopes of SiLU and CELU with values of these functions",
    shareActivations,
  ),
];

/** Passes that prepare a graph for WebGPU, in the recommended order. They may follow {@linkcode SIMPLIFYING_PASSES}. */
export const WEBGPU_PASSES: readonly Pass[] = [
  pass("int64ToInt32", "writes indices in int32, for WebGPU", (graph) => int64ToInt32(graph)),
  pass(
    "constantOfShapeToExpand",
    "writes ConstantOfShape as Expand, for WebGPU",
    constantOfShapeToExpand,
  ),
  pass("acosToAtan", "writes Acos by Atan, for WebGPU", acosToAtan),
  pass("captureSafe", "keeps results correct when WebGPU replays the graph", captureSafe),
];

function pass(name: string, about: string, apply: Pass["apply"]): Pass {
  return { name, about, apply };
}

/**
 * Rewrites a graph in place, pass by pass.
 *
 * @param passes names of {@linkcode SIMPLIFYING_PASSES}, {@linkcode PROCESSOR_PASSES} and {@linkcode WEBGPU_PASSES}, or
 * custom passes
 * @returns one report per pass
 * @throws {RangeError} if a name is unknown; the graph is not changed then
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, lennardJonesModel, runPasses, showPasses } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const graph = new Graph(decodeModel(lennardJonesModel({ epsilon: 0.01, sigma: 3.4, cutoff: 8.5 })));
 * const own = { name: "nothing", about: "a pass of one's own", apply: () => 0 };
 * const reports = runPasses(graph, ["foldConstants", "mergeEquals", "prune", own]);
 * assertEquals(reports.map(({ name }) => name), ["foldConstants", "mergeEquals", "prune", "nothing"]);
 * console.log(showPasses(reports));
 * ```
 */
export function runPasses(
  graph: Graph,
  passes: readonly (string | Pass)[],
  options: PassOptions = {},
): PassReport[] {
  const run = (each: Pass): PassReport => {
    const { name, about } = each, before = graph.nodes.length;
    if (!KEEPING.has(each)) discardFacts(graph);
    const changed = each.apply(graph, options);
    if (!KEEPING.has(each)) discardFacts(graph);
    return { name, about, changed, before, after: graph.nodes.length };
  };
  const all = passesNamed(passes);
  return withSharedFacts(graph, () => all.map(run));
}

/** Passes that keep the type and the shape of all values. Custom passes and those for WebGPU may change them. */
const KEEPING: ReadonlySet<Pass> = new Set([...SIMPLIFYING_PASSES, ...PROCESSOR_PASSES]);

/** Returns the passes with these names. Throws a RangeError if a name is unknown. */
export function passesNamed(passes: readonly (string | Pass)[]): readonly Pass[] {
  return passes.map((each) => typeof each === "string" ? named(each) : each);
}

function named(name: string): Pass {
  const all = [...SIMPLIFYING_PASSES, ...PROCESSOR_PASSES, ...WEBGPU_PASSES],
    found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  throw new RangeError(
    `Cannot rewrite a graph: its passes must be among ${names.join(", ")}; got ${
      JSON.stringify(name)
    }${didYouMean(name, names)}`,
  );
}

/**
 * Formats reports as lines of text: `foldConstants 12 (147 → 135 nodes): …`.
 *
 * @example
 * ```ts
 * import { showPasses } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const report = { name: "foldConstants", about: "computes constants", changed: 2, before: 9, after: 7 };
 * assertEquals(showPasses([report]), "foldConstants 2 (9 → 7 nodes): computes constants");
 * ```
 */
export function showPasses(reports: readonly PassReport[]): string {
  return reports.map(({ name, about, changed, before, after }) =>
    `${name} ${changed} (${before} → ${after} nodes): ${about}`
  ).join("\n");
}
