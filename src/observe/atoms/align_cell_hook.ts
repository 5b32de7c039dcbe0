import { call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { KernelDevice } from "../../dynamics/context.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import { alignCells } from "../../kernels/cells/align_cells.ts";
import { anchorsOn, hasAnchors } from "./frozen_atoms.ts";
import { checkOptions, timesOf } from "../any/hook_options.ts";

/** Options of {@linkcode AlignCellHook}. */
export interface AlignCellHookOptions {
  /**
   * Number of steps between two alignments.
   *
   * @default 1
   */
  readonly frequency?: number;
}

const NAME = "AlignCellHook";

/**
 * Rotates periodic systems before a step so that the first lattice vector points along x and the second lies in the
 * xy plane. Cell, positions, velocities and forces are rotated together, so the physics does not change. Systems that
 * are already aligned stay bitwise unchanged. The anchors of frozen atoms are rotated with their system; the anchors
 * of springs in models are not.
 *
 * The hook is a kernel, so multi-step calls remain possible.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { AlignCellHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const cell = [[0, 9, 0], [0, 3, 9], [9, 0, 0]];
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 4, 0], cell, pbc: true }]);
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 1,
 *   hooks: [new AlignCellHook()],
 * });
 * await md.run(batch, 1);
 * assertEquals([...batch.get("cell")], [9, 0, 0, 3, 9, 0, 0, 0, 9]);
 * assertEquals([...batch.get("positions")], [4, 0, 0]);
 * ```
 */
export class AlignCellHook {
  /** Stage of the hook: before a step. */
  readonly stage: typeof DynamicsStage.BEFORE_STEP = DynamicsStage.BEFORE_STEP;
  /** Number of steps between two alignments. */
  readonly frequency: number;
  /** Fields that the hook changes. */
  readonly writes: readonly ["cell", "positions", "velocities", "forces"] = [
    "cell",
    "positions",
    "velocities",
    "forces",
  ];

  /** Creates the hook. */
  constructor(options: AlignCellHookOptions = {}) {
    checkOptions(NAME, options, ["frequency"]);
    const { frequency = 1 } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
  }

  /** Returns the kernels that the engine runs at the stage of the hook. */
  kernels({ state }: KernelDevice): readonly KernelCall[] {
    const pbc = state.field<"i32">("pbc");
    const fields = {
      cell: state.field("cell"),
      positions: state.field("positions"),
      velocities: state.field("velocities"),
      forces: state.field("forces"),
    };
    return [
      ...(hasAnchors(state) ? alignAnchors(state) : []),
      call(alignCells, { ...fields, pbc }),
    ];
  }
}

/**
 * Returns the kernel that rotates the anchors of frozen atoms with their systems. The kernel also rotates the cell
 * that it receives, so it gets a copy of the cell, which this function makes.
 */
function alignAnchors(state: ResidentBatch): KernelCall[] {
  const { backend } = state;
  const cell = state.scratch("anchors' cell", { dtype: "real", level: "system", width: 9 });
  const unused = state.scratch("anchors' rest", { dtype: "real", level: "node", width: 3 });
  backend.write(cell, state.mirroredField("cell"));
  const anchors = anchorsOn(state);
  const pbc = state.field<"i32">("pbc");
  return [call(alignCells, { cell, positions: anchors, velocities: unused, forces: unused, pbc })];
}
