/**
 * Reports about models to which forces were added.
 *
 * @module
 */

import type { RootWarning } from "../passes/audit_roots.ts";
import type { PassReport } from "../passes/pass.ts";
import { showPasses } from "../passes/passes.ts";

/** Changes that were made to a model. */
export interface ForcesReport {
  /** Version of ai.onnx that the model imports. */
  readonly opset: number;
  /** Name of the output that was differentiated. */
  readonly energy: string;
  /** Name of the input with respect to which the energy was differentiated. */
  readonly positions: string;
  /** Name of the output with the forces. */
  readonly forces: string;
  /** Name of the output with the virials; `undefined` if they were not requested. */
  readonly virial: string | undefined;
  /** Names of the inputs that change with a strain, including the positions; empty without virials. */
  readonly strained: readonly string[];
  /** Number of nodes before, number of nodes added by differentiation, and number of nodes after all passes. */
  readonly nodes: { readonly before: number; readonly added: number; readonly after: number };
  /** Reports of the passes, before and after differentiation. */
  readonly passes: readonly PassReport[];
  /** Nodes where the energy may have no derivative: unguarded roots and divisions. */
  readonly warnings: readonly RootWarning[];
}

/** A model with forces. */
export interface ForcesModel {
  /** Bytes of the .onnx file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Changes that were made to the model. */
  readonly report: ForcesReport;
}

/** Largest number of nodes that one line lists. */
const MOST_NODES = 3;

/** Formats warnings as lines of text. Nodes with the same warning share a line. */
function showWarnings(warnings: readonly RootWarning[]): string[] {
  const groups = Map.groupBy(warnings, ({ op, why, hint }) => JSON.stringify([op, why, hint]));
  return [...groups.values()].map((group) => {
    const { op, why, hint } = group[0]!;
    const named = group.slice(0, MOST_NODES).map(({ node }) => node).join(", ");
    const more = group.length > MOST_NODES ? ` and ${group.length - MOST_NODES} more` : "";
    return `  mind the ${op} ${named}${more}: ${why}; ${hint}`;
  });
}

/** Formats a report as lines of text. */
export function showForces(report: ForcesReport): string {
  const { opset, energy, positions, forces, virial, strained, nodes, passes, warnings } = report;
  return [
    `${forces} by differentiating ${energy} by ${positions}: ` +
    `${nodes.before} → ${nodes.after} nodes, opset ${opset}`,
    ...(virial === undefined ? [] : [`${virial} by strains of ${strained.join(", ")}`]),
    ...showPasses(passes.filter(({ changed }) => changed > 0)).split("\n").filter(Boolean)
      .map((line) => `  ${line}`),
    ...showWarnings(warnings),
  ].join("\n");
}
