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
import { isBath } from "../integrators/motion.ts";
import { STAGE_STEPS } from "../stages/stage_steps.ts";
import type { BatchPlace } from "./batch_place.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import { divergedSystems } from "./dynamics_checks.ts";
import { type EngineDevice, unavailable } from "./engine_device.ts";

/** The members of an engine that {@linkcode HeldBatch} uses. */
interface Holder {
  readonly name: string;
  readonly integrator: Integrator;
  readonly loop: Loop<DynamicsKind>;
  readonly device: EngineDevice;
  readonly place: BatchPlace;
}

/** Values of fields on the host. */
type Values = Record<string, NumericArray>;

/** Lends a batch to an engine during a run, and returns it to the caller with the results. */
export class HeldBatch {
  readonly #engine: Holder;
  /** Provides the current values of the batch during a run; `undefined` between runs. */
  #holder: FieldHolder | undefined;
  /** Results of the run, once they are downloaded. */
  #home: Values | undefined;

  constructor(engine: Holder) {
    this.#engine = engine;
  }

  /** True while the engine holds a batch. */
  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  /** Runs `work` with a batch on the device, then copies the results to the batch and releases it. */
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
        // Energies are computed now if no run has needed them, because the caller awaits current values.
        const isEnergy = name === "energy" || name === "stress";
        const waiting = isEnergy ? run.evaluator.refresh() : undefined;
        if (isThenable(waiting)) await waiting;
        return await run.state.downloadField(name);
      },
    };
  }

  /** Downloads the results of a run. They are copied to the batch when the run ends. */
  async takeHome(): Promise<void> {
    this.#home = await this.#engine.place.takeHome();
    this.#engine.place.warnOfFar(this.#home.positions);
  }

  /** Releases the batch with the values `home` while `work` runs. `work` must be synchronous. */
  lend<T>(home: Readonly<Record<string, NumericArray>>, work: (batch: Batch) => T): T {
    const { batch } = this.#engine.place.run!.state;
    batch.detach(home);
    try {
      return work(batch);
    } finally {
      batch.attach(this.#holder!);
    }
  }

  /**
   * Runs `work`, and copies the results to the batch even if `work` fails. If a system has diverged or the device is
   * lost, nothing is copied.
   */
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
    // An error of `mend` is ignored, because the first error names the cause.
    if (failure !== undefined && !hasDiverged && !isLost) await place.run?.mend().catch(() => {});
    let home: Values = {};
    try {
      if (!isLost) home = this.#home ?? await place.takeHome();
    } catch (error) {
      isLost = true;
      failure ??= { error };
    }
    // Forces and energies are checked where they are computed. Here they may be NaN, which means that they are
    // unknown.
    const { positions, velocities, cell } = home;
    const diverged = divergedSystems(batch, { positions, velocities, cell });
    hasDiverged ||= diverged.length > 0;
    this.#holder = undefined;
    batch.detach(hasDiverged ? {} : home);
    if (hasDiverged || isLost) place.leave();
    else this.#noteTime();
    if (isLost) device.close(); // the next run tries to open the device again
    if (failure !== undefined) throw failure.error;
    if (diverged.length > 0) {
      const systems = diverged.map(({ system }) => system);
      const { cause, atom } = diverged[0]!;
      const { namingOf } = await import("./late_parts.ts");
      const details = { ...namingOf(this.#engine.integrator, batch, systems), cause, atom };
      throw new DivergedError(name, loop.stepCount - 1, systems, details);
    }
  }

  /**
   * Writes values to the batch that the next integrator reads: the time, and `dofRemoved` of systems whose center of
   * mass a thermostat has set in motion.
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

/** Returns a function that tells whether a thermostat has set the center of mass of a system in motion. */
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
