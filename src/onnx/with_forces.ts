import { decodeModel } from "./codec.ts";
import { checkForces } from "./check_forces.ts";
import { gradient } from "./grad/gradient.ts";
import { pathBetween } from "./grad/path.ts";
import type { GradientRules } from "./grad/rules.ts";
import { Graph } from "./graph.ts";
import { Facts } from "./infer/facts.ts";
import type { ModelProto } from "./messages.ts";
import { auditRoots, type RootWarning } from "./passes/audit_roots.ts";
import type { Pass, PassReport } from "./passes/pass.ts";
import { runPasses, showPasses } from "./passes/passes.ts";
import { valueInfo } from "./value_info.ts";
import { type StrainedValues, strainedValues, virialOf } from "./virial.ts";

/** How {@linkcode withForces} goes about it. */
export interface WithForcesOptions {
  /**
   * What errors call the model.
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
   * What the new output is called.
   *
   * @default "forces"
   */
  readonly forces?: string;
  /**
   * Whether virials become an output, too, and what goes with the atoms when a system is strained; `true` takes
   * the inputs `batch_idx`, `edge_index`, `shifts` and `cell` where there are such.
   *
   * @default false
   */
  readonly stress?: boolean | StrainedValues;
  /**
   * What simplifies the graph, before it is differentiated and again behind: names of {@linkcode PASSES}, or passes
   * of one's own.
   *
   * @default FORCE_PASSES
   */
  readonly passes?: readonly (string | Pass)[];
  /** @default gradientRules */
  readonly rules?: GradientRules;
}

/** What was done to a model. */
export interface ForcesReport {
  /** The version of its operators. */
  readonly opset: number;
  /** What was differentiated. */
  readonly energy: string;
  /** By what. */
  readonly positions: string;
  /** The output with the forces. */
  readonly forces: string;
  /** The output with the virials; `undefined` where they were not asked for. */
  readonly virial: string | undefined;
  /** How many nodes it had, how many were added by differentiating, and how many it has now. */
  readonly nodes: { readonly before: number; readonly added: number; readonly after: number };
  /** What the passes did, before and behind. */
  readonly passes: readonly PassReport[];
  /** Where the energy may have no slope: roots and divisions that nothing guards. */
  readonly warnings: readonly RootWarning[];
}

/** A model with forces. */
export interface ForcesModel {
  /** The .onnx file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What was done. */
  readonly report: ForcesReport;
}

/** The passes that simplify a graph for any runtime. */
export const FORCE_PASSES: readonly string[] = [
  ...["foldConstants", "dropIdentities", "einsumToMatMul"],
  ...["multiplySmallFirst", "mergeEquals", "prune"],
];

/**
 * Gives a model of energies forces: a further output, −dE/dpositions, by differentiating the graph. With `stress` the
 * virials come out, too: −dE/dε, [B, 3, 3], in the unit of the energy, where ε moves every r to r + r·ε; over the
 * negative volume they are stresses. A model of one system has [3, 3].
 *
 * What the model computes stays as it is, but for what passes simplify. Lengths that are free stay free.
 *
 * @param model its bytes, or what they decode to, which is taken over; weights in other files must be in it
 * ({@linkcode loadExternalData})
 * @throws {SyntaxError} for what is no model
 * @throws {RangeError} for another opset than 18 to 21, for inputs and outputs that there are not, for an energy that is
 * no float, or not one number per system or atom, for a model that has forces, and where the energy does not depend
 * on the positions
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
  const { name = "the model", passes = FORCE_PASSES } = options;
  const { positions = "positions", energy = "energy", forces = "forces" } = options;
  const graph = new Graph(model instanceof Uint8Array ? decodeModel(model, { name }) : model);
  const strained = strainedValues(graph, name, options.stress ?? false);
  const outputs = strained === undefined ? [forces] : [forces, strained.output];
  checkForces(graph, { name, positions, energy, outputs });
  for (const output of outputs) {
    if (graph.has(output)) graph.rename(output, graph.freshName(output));
  }
  const before = graph.nodes.length;
  const first = runPasses(graph, passes);
  const warnings = auditRoots(graph, { of: energy, wrt: positions });
  const { added, slopes } = differentiate(graph, {
    ...{ energy, positions, rules: options.rules },
    others: [strained?.shifts, strained?.cell].filter((each) => each !== undefined),
  });
  const { type = "f32", shape } = new Facts(graph).of(positions);
  const written = graph.nodes.length;
  graph.make("Neg", [slopes.get(positions)!], {}, forces);
  graph.addOutput(valueInfo(forces, type, graph.shape(positions) ?? shape));
  if (strained !== undefined) virialOf(graph, { ...strained, positions, energy, slopes });
  for (const slope of slopes.values()) graph.removeOutput(slope);
  const more = graph.nodes.length - written;
  const second = runPasses(graph, passes);
  const nodes = { before, added: added + more, after: graph.nodes.length };
  return {
    bytes: graph.encode(),
    report: {
      ...{ opset: graph.opset, energy, positions, forces, virial: strained?.output },
      ...{ nodes, passes: [...first, ...second], warnings },
    },
  };
}

/** dE/dx for the positions, and for what else the energy depends on of the others; they come out. */
function differentiate(graph: Graph, { energy, positions, others, rules }: {
  readonly energy: string;
  readonly positions: string;
  readonly others: readonly string[];
  readonly rules: GradientRules | undefined;
}): { readonly added: number; readonly slopes: ReadonlyMap<string, string> } {
  const facts = new Facts(graph);
  const depends = others.filter((each) => pathBetween(graph, facts, [], [each]).moving.has(energy));
  const wrt = Object.fromEntries(
    [positions, ...depends].map((each) => [each, graph.freshName(`slope_of_${each}`)]),
  );
  const shape = facts.of(energy).shape;
  const isRows = shape === undefined || shape.slice(1).every((length) => length === 1);
  // [1, N] is no row per anything; what only its slope needs goes again.
  const of = isRows ? energy : graph.make("ReduceSum", [energy], { keepdims: 0 });
  const { added } = gradient(graph, { of, wrt, ...(rules === undefined ? {} : { rules }) });
  return { added, slopes: new Map(Object.entries(wrt)) };
}

/** What was done to a model, as lines of text. */
export function showForces(report: ForcesReport): string {
  const { opset, energy, positions, forces, virial, nodes, passes, warnings } = report;
  const outputs = virial === undefined ? forces : `${forces} and ${virial}`;
  return [
    `${outputs} by differentiating ${energy} by ${positions}: ` +
    `${nodes.before} → ${nodes.after} nodes, opset ${opset}`,
    ...showPasses(passes.filter(({ changed }) => changed > 0)).split("\n").filter(Boolean)
      .map((line) => `  ${line}`),
    ...warnings.map(({ node, op, why, hint }) => `  mind the ${op} ${node}: ${why}; ${hint}`),
  ].join("\n");
}
