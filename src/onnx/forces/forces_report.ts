/**
 * What is said of a model that was given forces.
 *
 * @module
 */

import type { RootWarning } from "../passes/audit_roots.ts";
import type { PassReport } from "../passes/pass.ts";
import { showPasses } from "../passes/passes.ts";

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
  /** What goes with the atoms when a system is strained, they themselves among it; none without virials. */
  readonly strained: readonly string[];
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

/** What was done to a model, as lines of text. */
export function showForces(report: ForcesReport): string {
  const { opset, energy, positions, forces, virial, strained, nodes, passes, warnings } = report;
  return [
    `${forces} by differentiating ${energy} by ${positions}: ` +
    `${nodes.before} → ${nodes.after} nodes, opset ${opset}`,
    ...(virial === undefined ? [] : [`${virial} by strains of ${strained.join(", ")}`]),
    ...showPasses(passes.filter(({ changed }) => changed > 0)).split("\n").filter(Boolean)
      .map((line) => `  ${line}`),
    ...warnings.map(({ node, op, why, hint }) => `  mind the ${op} ${node}: ${why}; ${hint}`),
  ].join("\n");
}
