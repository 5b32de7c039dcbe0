import {
  type ConvergedContext,
  type DynamicsContext,
  DynamicsStage,
} from "../../dynamics/stages.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import { FRAMED, frameOf } from "./frame.ts";
import { SinkHook } from "./sink_hook.ts";
import { checkOptions } from "../any/hook_options.ts";

/** Options of {@linkcode ConvergedSnapshotHook}. */
export interface ConvergedSnapshotHookOptions {
  /** Sink that receives the systems. */
  readonly sink: SystemWriter;
}

const NAME = "ConvergedSnapshotHook";

/**
 * Writes each system to a sink once, when it converges: the relaxed structures of a large batch without their
 * trajectories. The engine also needs a `ConvergenceHook`. The frames have the same fields as those of
 * {@linkcode SnapshotHook}, and errors are handled in the same way.
 *
 * The constructor throws a TypeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { ConvergedSnapshotHook } from "@hooke/hooke/observe";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const batch = Batch.from([rattle(crystal, 0.2, 1), rattle(crystal, 0.01, 2)]);
 * const relaxed = new MemorySink();
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01), new ConvergedSnapshotHook({ sink: relaxed })],
 * });
 * await opt.run(batch);
 * assertEquals([...relaxed.read().get("sourceId")], [1, 0]); // the one that had less far to go came first
 * ```
 */
export class ConvergedSnapshotHook extends SinkHook {
  /** Stage of the hook: the event that systems have converged. */
  readonly stage: typeof DynamicsStage.ON_CONVERGE = DynamicsStage.ON_CONVERGE;
  /** Required by the hook interface; event stages ignore it. */
  readonly frequency = 1;
  /** Fields that the engine must update before the hook is called. */
  readonly reads: readonly ("energy" | "time" | "frame")[] = FRAMED;

  /** Creates the hook; nothing is written yet. */
  constructor(options: ConvergedSnapshotHookOptions) {
    checkOptions(NAME, options, ["sink"]);
    super(NAME, options);
  }

  /** Writes the systems that have just converged. Called by the engine. */
  async call(
    ctx: ConvergedContext & Pick<DynamicsContext<"energy" | "time" | "frame">, "read">,
  ): Promise<void> {
    const slots = Array.from(ctx.convergedMask).flatMap((flag, slot) => flag === 1 ? [slot] : []);
    await this.write(await frameOf(ctx, slots));
  }
}
