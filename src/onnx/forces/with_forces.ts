import { decodeModel } from "../codec/codec.ts";
import { checkForces } from "./check_forces.ts";
import { ofModel } from "./forces_errors.ts";
import type { ForcesModel, ForcesReport } from "./forces_report.ts";
import { gradient } from "../grad/gradient.ts";
import type { GradientRuleSet } from "../grad/rules.ts";
import { Graph } from "../graph/graph.ts";
import { factsOf, withSharedFacts } from "../infer/shared_facts.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { ModelProto } from "../codec/messages.ts";
import { between } from "../passes/path.ts";
import { auditRoots } from "../passes/audit_roots.ts";
import type { Pass } from "../passes/pass.ts";
import { passesNamed, runPasses } from "../passes/passes.ts";
import { pairVectors } from "./pair_vectors.ts";
import {
  pairListsOf,
  STRAINED_MEMBERS,
  type StrainedValues,
  strainedValues,
} from "./strained_values.ts";
import { valueInfo } from "../codec/value_info.ts";
import { virialOf } from "./virial.ts";

/** Options of {@linkcode withForces}. */
export interface WithForcesOptions {
  /**
   * The name of the model in error messages.
   *
   * @default "the model"
   */
  readonly name?: string;
  /**
   * The input with the positions of the atoms.
   *
   * @default "positions"
   */
  readonly positions?: string;
  /**
   * The output with the energy: one number, or one per system or per atom.
   *
   * @default "energy"
   */
  readonly energy?: string;
  /**
   * The name of the new output.
   *
   * @default "forces"
   */
  readonly forces?: string;
  /**
   * True to add virials as an output. The inputs that a strain involves besides the positions are `batch_idx`,
   * `edge_index`, `shifts` and `cell`, if the model has them; an object gives other names.
   *
   * @default false
   */
  readonly stress?: boolean | StrainedValues;
  /**
   * The passes that simplify the graph, before and after it is differentiated: names of {@linkcode SIMPLIFYING_PASSES}
   * and {@linkcode PROCESSOR_PASSES}, or custom passes.
   *
   * @default FORCE_PASSES
   */
  readonly passes?: readonly (string | Pass)[];
  /**
   * The rules that differentiate operators.
   *
   * @default gradientRules
   */
  readonly rules?: GradientRuleSet;
}

/** The passes that simplify a graph for any runtime. */
export const FORCE_PASSES: readonly string[] = [
  "foldConstants",
  "dropIdentities",
  "einsumToMatMul",
  "contractSmallFirst",
  "matMulToMul",
  "clipCosines",
  "multiplySmallFirst",
  "reduceLastAxis",
  "mergeEquals",
  "prune",
];

/**
 * The passes that simplify a graph that runs on the processor: {@linkcode FORCE_PASSES}, and passes that make a model faster
 * there and slower on WebGPU.
 */
export const PROCESSOR_FORCE_PASSES: readonly string[] = [
  "foldConstants",
  "dropIdentities",
  "selectRowsFirst",
  "multiplyBeforeGather",
  ...FORCE_PASSES.slice(0, -2),
  "indexWholeRows",
  "repeatShortAxes",
  "shareActivations",
  "mergeEquals",
  "prune",
];

/**
 * Adds an output with forces, −dE/dpositions, to a model of energies, by differentiating the graph.
 *
 * With `stress` it also adds an output with virials, −dE/dε in the unit of the energy, [B, 3, 3], or [3, 3] for a
 * model of one system. The strain ε moves every r to r + r·ε. Virials divided by the negative volume are stresses.
 *
 * The rest of the model does not change, except where passes simplify it. Dynamic dimensions stay dynamic.
 *
 * @param model bytes of the model, or its decoded form, which may be modified; weights in external files must have
 * been loaded ({@linkcode loadExternalData})
 * @throws {TypeError} for an unknown option
 * @throws {SyntaxError} if the bytes are not a model
 * @throws {RangeError} if the opset is not 18 to 21, if an input or output does not exist, if the energy is not a float
 * or not one number per system or atom, if the model already has forces, or if the energy does not depend on the
 * positions
 * @throws {UnsupportedNodeError} for an operator without a rule, and for control flow, between positions and energy
 *
 * @example Atoms on springs
 * ```ts
 * import { evaluatorSession, GraphBuilder, withForces } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("springs");
 * const x = builder.input("positions", "f32", ["N", 3]);
 * builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
 * const { bytes, report } = withForces(builder.build());
 * await using session = evaluatorSession(bytes);
 * const { forces } = await session.run({ positions: { data: Float64Array.of(1, 0, -2), dims: [1, 3] } });
 * assertEquals(forces, { location: "host", dtype: "float64", dims: [1, 3], data: Float64Array.of(-2, -0, 4) });
 * assertEquals(report.warnings, []);
 * ```
 */
export function withForces(
  model: Uint8Array | ModelProto,
  options: WithForcesOptions = {},
): ForcesModel {
  const { name = "the model" } = options ?? {};
  try {
    checkForcesOptions(options, name);
    return modelWithForces(model, name, options);
  } catch (error) {
    throw ofModel(name, error);
  }
}

/** The names of all options, to find misspelled ones. */
const OPTIONS: Readonly<Record<keyof WithForcesOptions, true>> = {
  name: true,
  positions: true,
  energy: true,
  forces: true,
  stress: true,
  passes: true,
  rules: true,
};

function checkForcesOptions(options: WithForcesOptions, name: string): void {
  checkOptions(`give ${name} forces`, options, Object.keys(OPTIONS));
  const { stress, passes = [] } = options;
  if (typeof stress !== "boolean" && stress !== undefined) {
    checkOptions(`give ${name} virials`, stress, STRAINED_MEMBERS);
  }
  passesNamed(passes);
}

/** Adds forces to a model, and virials if `stress` is set. */
function modelWithForces(
  model: Uint8Array | ModelProto,
  name: string,
  options: WithForcesOptions,
): ForcesModel {
  const { passes = FORCE_PASSES } = options;
  const { positions = "positions", energy = "energy", forces = "forces" } = options;
  const graph = new Graph(model instanceof Uint8Array ? decodeModel(model, { name }) : model);
  const strained = strainedValues(graph, name, options.stress ?? false);
  const outputs = strained === undefined ? [forces] : [forces, strained.output];
  checkForces(graph, { name, positions, energy, outputs });
  for (const output of outputs) {
    if (graph.has(output)) graph.rename(output, graph.freshName(output));
  }
  const names = { positions, energy, forces }, { rules } = options;
  const { opset } = graph, virial = strained?.output;
  const made = withSharedFacts(
    graph,
    () => differentiated(graph, names, { strained, rules, passes }),
  );
  return { bytes: graph.encode(), report: { opset, ...names, virial, ...made } };
}

/** Simplifies a graph, adds forces and virials, and simplifies it again. */
function differentiated(
  graph: Graph,
  names: ForceNames,
  { strained, rules, passes }: {
    readonly strained: ReturnType<typeof strainedValues>;
    readonly rules: GradientRuleSet | undefined;
    readonly passes: readonly (string | Pass)[];
  },
): Pick<ForcesReport, "strained" | "nodes" | "passes" | "warnings"> {
  const before = graph.nodes.length;
  const first = runPasses(graph, passes);
  const warnings = auditRoots(graph, { of: names.energy, wrt: names.positions });
  const { added, moved } = addForces(graph, names, strained, rules);
  const second = runPasses(graph, passes);
  const nodes = { before, added, after: graph.nodes.length };
  return { strained: moved, nodes, passes: [...first, ...second], warnings };
}

/** Names of the positions, of the energy, and of the forces that are added. */
interface ForceNames {
  readonly positions: string;
  readonly energy: string;
  readonly forces: string;
}

/**
 * Adds forces, and virials if `strained` is not `undefined`. Returns the number of nodes added, and the inputs that a
 * strain moves.
 */
function addForces(
  graph: Graph,
  { positions, energy, forces }: ForceNames,
  strained: ReturnType<typeof strainedValues>,
  rules: GradientRuleSet | undefined,
): { readonly added: number; readonly moved: string[] } {
  const shifts = strained === undefined ? [] : pairListsOf(strained).map((list) => list.shifts);
  const vectors = pairVectors(graph, { positions, shifts, energy });
  const others = [...vectors ?? shifts, strained?.cell].filter((each) => each !== undefined);
  const { added, slopes } = differentiate(graph, { energy, positions, rules, others });
  const { type = "f32", shape } = factsOf(graph).of(positions);
  const before = graph.nodes.length;
  graph.make("Neg", [slopes.get(positions)!], {}, forces);
  graph.addOutput(valueInfo(forces, type, graph.shape(positions) ?? shape));
  if (strained !== undefined) {
    virialOf(graph, { ...strained, positions, energy, vectors, slopes });
  }
  for (const slope of slopes.values()) graph.removeOutput(slope);
  return {
    added: added + graph.nodes.length - before,
    moved: strained === undefined ? [] : movedInputs(slopes, positions, vectors, shifts),
  };
}

/** Returns the names of the inputs that a strain moves. */
function movedInputs(
  slopes: ReadonlyMap<string, string>,
  positions: string,
  vectors: readonly string[] | undefined,
  shifts: readonly string[],
): string[] {
  return [positions, ...slopes.keys()]
    .map((name) => shifts[vectors?.indexOf(name) ?? -1] ?? name)
    .filter((name, i, all) => all.indexOf(name) === i);
}

/** Adds outputs with dE/dx, where x is `positions` or one of those `others` on which the energy depends. */
function differentiate(graph: Graph, { energy, positions, others, rules }: {
  readonly energy: string;
  readonly positions: string;
  readonly others: readonly string[];
  readonly rules: GradientRuleSet | undefined;
}): { readonly added: number; readonly slopes: ReadonlyMap<string, string> } {
  const facts = factsOf(graph);
  const depends = others.filter((each) => between(graph, facts, [each], []).values.has(energy));
  const wrt = Object.fromEntries(
    [positions, ...depends].map((each) => [each, graph.freshName(`slope_of_${each}`)]),
  );
  const shape = facts.of(energy).shape;
  const isRows = shape === undefined || shape.slice(1).every((length) => length === 1);
  // An energy of shape [1, N] does not have one row per atom, so add it up. `prune` removes this node later.
  const of = isRows ? energy : graph.make("ReduceSum", [energy], { keepdims: 0 });
  const { added } = gradient(graph, { of, wrt, ...(rules === undefined ? {} : { rules }) });
  return { added, slopes: new Map(Object.entries(wrt)) };
}
