/**
 * The batch on the host while an engine runs it.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { FieldHolder } from "../../batch/fields/holder.ts";
import { isThenable } from "../../base/sequence.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import { DivergedError } from "../diverged_error.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { isBath } from "../integrators/center_motion.ts";
import { STAGE_STEPS } from "../stages/stage_steps.ts";
import type { BatchPlace } from "./batch_place.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import { divergedSystems } from "./dynamics_checks.ts";
import { type EngineDevice, unavailable } from "./engine_device.ts";

/** The engine that runs the batch. */
interface Holder {
  readonly name: string;
  readonly integrator: Integrator;
  readonly loop: Loop<DynamicsKind>;
  readonly device: EngineDevice;
  readonly place: BatchPlace;
}

/** Values of fields on the host. */
type Values = Record<string, NumericArray>;

/** Lends a batch to an engine for a run, and gives it back with the results. */
export class HeldBatch {
  readonly #engine: Holder;
  /** Provides the values of the batch that the engine has. */
  #holder: FieldHolder | undefined;
  /** The results of the run. */
  #home: Values | undefined;

  /** Holds nothing yet. */
  constructor(engine: Holder) {
    this.#engine = engine;
  }

  /** True if an engine has a batch. */
  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  /** Runs `work` with a batch on the device, and gives the batch back with the results. */
  async with(batch: Batch, work: () => Promise<void>): Promise<void> {
    const { place } = this.#engine;
    const holder = this.#holder = this.#makeHolder();
    batch.attach(holder);
    try {
      const entering = place.enter(batch);
      if (isThenable(entering)) await entering;
    } catch (error) {
      this.#holder = undefined;
      batch.detach();
      throw error;
    }
    await this.#run(batch, work);
  }

  #makeHolder(): FieldHolder {
    const { name: by, place } = this.#engine;
    return {
      by,
      get fields() {
        return place.fields;
      },
      fetch: async (name) => {
        const run = place.run!;
        // Energies that can be computed at once are as of now, even if nothing awaits them.
        const isEnergy = name === "energy" || name === "stress";
        const waiting = isEnergy ? run.evaluator.refresh() : undefined;
        if (isThenable(waiting)) await waiting;
        return await run.state.downloadField(name);
      },
    };
  }

  /** Copies the results of a run to the batch. */
  async takeHome(): Promise<void> {
    this.#home = await this.#engine.place.takeHome();
    this.#engine.place.warnOfFar(this.#home.positions);
  }

  /** Gives the batch back for as long as `work` takes, with these values. */
  lend<T>(home: Readonly<Record<string, NumericArray>>, work: (batch: Batch) => T): T {
    const { batch } = this.#engine.place.run!.state;
    batch.detach(home);
    try {
      return work(batch);
    } finally {
      batch.attach(this.#holder!);
    }
  }

  /** Runs something, and copies the results to the batch, also after an error. */
  async #run(batch: Batch, work: () => Promise<void>): Promise<void> {
    const { name, place, device, loop } = this.#engine;
    let failure: { readonly error: unknown } | undefined;
    this.#home = undefined;
    try {
      await work();
    } catch (error) {
      failure = { error: unavailable(error) ?? error };
    }
    let hasDiverged = failure?.error instanceof DivergedError;
    let isLost = unavailable(failure?.error) !== undefined;
    // The first error is the cause.
    if (failure !== undefined && !hasDiverged && !isLost) await place.run?.mend().catch(() => {});
    let home: Values = {};
    try {
      if (!isLost) home = this.#home ?? await place.takeHome();
    } catch (error) {
      isLost = true;
      failure ??= { error };
    }
    // Forces and energies are checked where they are computed; those of other systems may be NaN, which means unknown.
    const { positions, velocities, cell } = home;
    const diverged = divergedSystems(batch, { positions, velocities, cell });
    hasDiverged ||= diverged.length > 0;
    this.#holder = undefined;
    batch.detach(hasDiverged ? {} : home);
    if (hasDiverged || isLost) place.leave();
    else this.#noteTime();
    if (isLost) device.close(); // the next run may find it again
    if (failure !== undefined) throw failure.error;
    if (diverged.length > 0) {
      const systems = diverged.map(({ system }) => system);
      const { cause, atom } = diverged[0]!;
      const { namingOf } = await import("../divergence/diverged_details.ts");
      const details = { ...namingOf(this.#engine.integrator, batch, systems), cause, atom };
      throw new DivergedError(name, loop.stepCount - 1, systems, details);
    }
  }

  /**
   * Leaves in the batch the values that the next integrator needs: the time, and centers of mass that baths have
   * moved.
   */
  #noteTime(): void {
    const { integrator, loop: { stepCount }, place } = this.#engine;
    const { clock, state: { batch } } = place.run!;
    clock.keep(batch);
    if (!batch.has("dofRemoved")) return;
    const isMoved = movedByBath(integrator, batch, stepCount);
    const removed = batch.get("dofRemoved");
    for (let s = 0; s < removed.length; s++) if (isMoved(s)) removed[s] = 0;
  }
}

/** Returns a test for systems whose center of mass a bath has set in motion. */
function movedByBath(
  integrator: Integrator,
  batch: Batch,
  stepCount: number,
): (system: number) => boolean {
  const { stages = [] } = integrator;
  if (stages.length === 0) return () => isBath(integrator) && stepCount > 0;
  const baths = stages.flatMap((stage, k) => isBath(stage) ? [k] : []);
  const steps = batch.get(STAGE_STEPS);
  return (system) => baths.some((k) => steps[stages.length * system + k]! > 0);
}
