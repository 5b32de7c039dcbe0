/**
 * Detection of runs whose values are finite but not physical.
 *
 * @module
 */

import { systemName } from "../../batch/store.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import type { BatchRun } from "../step/batch_run.ts";
import { UnstableError } from "../diverged_error.ts";
import {
  buffersOf,
  freedomIn,
  kineticOf,
  type Sample,
  sampleOf,
  stepLimits,
  temperatureOf,
  type WatchedBatch,
  watchedBatch,
  type WatchedStage,
} from "./watched_batch.ts";

/** Temperature, K, above which a run is not physical. */
const HOTTEST = 1e5;
/**
 * Largest ratio of a system's temperature to that of its thermostat, or to its initial temperature if that is higher.
 */
const OVER_BATH = 10;
/** Largest distance that an atom may move in a step, Å. */
const FARTHEST_MOVE = 0.5;
/** Largest change of the energy, eV per atom, in a run at constant energy. */
const MOST_DRIFT = 0.05;
/** Shortest reasonable time step of molecular dynamics, fs. */
const SHORTEST = 0.01;
/** Largest sampling interval, in steps, for which multi-step calls end at the next sample. */
const SOON = 64;
/** Approximate time between two samples, ms. */
const EVERY_MS = 500;

/** The members of an engine that {@linkcode Stability} uses. */
interface WatchedEngine {
  readonly name: string;
  readonly integrator: Integrator;
  readonly loop: Loop<DynamicsKind>;
  readonly running: { readonly stream: unknown; readonly isByHand: boolean };
}

/** Kinds of problems. Each kind is reported once per run. */
type Kind = "dt" | "hot" | "fast" | "drift";

/** A system at a step. */
interface SystemAt {
  readonly run: BatchRun;
  readonly system: number;
  readonly step: number;
  /** Time step, fs. */
  readonly dt: number;
}

/**
 * Samples the velocities about twice per second, and the energies at the beginning and the end of a run. Other steps
 * cost one comparison.
 */
export class Stability {
  readonly #engine: WatchedEngine;
  readonly #isStrict: boolean;
  readonly #warned = new Set<Kind>();
  /** Kinds of problems found in the current run. */
  readonly #found = new Set<Kind>();
  #watched: WatchedBatch | undefined;
  #interval = 1;
  #lookedAt = 0;
  /** Number of steps after which the velocities are sampled next. */
  next: number = Infinity;

  /**
   * Creates the detector. Nothing is sampled until `begin` or `beginStep`. If `isStrict` is true, problems are
   * thrown.
   */
  constructor(engine: WatchedEngine, isStrict: boolean) {
    this.#engine = engine;
    this.#isStrict = isStrict;
  }

  /**
   * Returns the largest number of steps for one multi-step call. At the beginning of a run, a call ends at the next
   * sample. Later calls are not shortened, because ending a call costs more than a sample.
   */
  limit(stepCount: number): number {
    return this.#interval > SOON ? Infinity : this.next - stepCount;
  }

  /** Stops sampling until the next run begins. */
  rest(): void {
    this.next = Infinity;
    this.#watched = undefined;
  }

  /** Begins a run: checks the time steps, and samples the initial temperatures and energies. */
  begin(run: BatchRun): void {
    this.#interval = 1;
    if (!this.#meet(run)) return;
    this.next = this.#engine.loop.stepCount + 1;
    if (this.#engine.running.stream !== undefined) return; // the systems of a stream begin at different times
    this.#watched!.starting = this.#sample(run, (sample) => this.#noteStart(run, sample), true);
  }

  /**
   * Begins a step that the caller runs with `step`. Samples the velocities about twice per second, or before each
   * step if the engine is strict.
   */
  beginStep(run: BatchRun): void {
    if (this.#watched?.run !== run) this.begin(run);
    else if (this.#isStrict || performance.now() - this.#lookedAt >= EVERY_MS) this.look(run);
    this.next = Infinity;
  }

  /**
   * Samples the velocities of all systems. They are checked at once on the host, and when they arrive from a device.
   */
  look(run: BatchRun): void {
    const now = performance.now();
    if (now - this.#lookedAt < EVERY_MS) this.#interval *= 2;
    this.#lookedAt = now;
    this.next = this.#engine.loop.stepCount + this.#interval;
    void this.#sample(run, (sample) => this.#lookAt(run, sample));
  }

  /** Ends a run: checks the final velocities and energies. */
  async end(run: BatchRun): Promise<void> {
    if (this.#watched === undefined) return;
    this.next = Infinity;
    await this.#watched.starting;
    const step = this.#engine.loop.stepCount - 1, { backend } = run.state;
    const buffers = buffersOf(run), { hasEnergy } = run;
    const arrays = backend.isHost
      ? buffers.map((buffer) => backend.view(buffer))
      : await backend.viewOrRead(buffers);
    const sample = sampleOf(arrays as NumericArray[], step, hasEnergy);
    this.#lookAt(run, sample);
    this.#lookAtEnergies(run, sample);
    this.rest();
  }

  /**
   * Collects the data of a run's batch for the samples, and checks its time steps. Returns false if no step takes
   * time.
   */
  #meet(run: BatchRun): boolean {
    this.rest();
    this.#found.clear();
    this.#lookedAt = performance.now();
    const watched = this.#watch(run);
    for (const { dts } of watched?.stages ?? []) {
      if (dts !== undefined) this.#checkSteps(run, dts);
    }
    return watched !== undefined;
  }

  /** Takes a sample and passes it to `deliver`: at once on the host, and later, in order, from a device. */
  #sample(
    run: BatchRun,
    deliver: (sample: Sample) => void,
    isAwaited = false,
  ): PromiseLike<void> | undefined {
    const { loop } = this.#engine, { state: { backend }, hasEnergy } = run;
    const step = loop.stepCount - 1, buffers = buffersOf(run);
    if (backend.isHost) {
      const arrays = buffers.map((buffer) => backend.view(buffer));
      deliver(sampleOf(arrays, step, hasEnergy));
      return undefined;
    }
    return loop.defer(backend.readLate(buffers), (arrays) => {
      if (arrays !== undefined) deliver(sampleOf(arrays as NumericArray[], step, hasEnergy));
    }, isAwaited);
  }

  #noteStart(run: BatchRun, sample: Sample): void {
    const { integrator, running } = this.#engine, freedom = freedomIn(run, integrator);
    const kinetic = kineticOf(run, sample);
    this.#watch(run)!.start = {
      temperatures: kinetic.map((energy, s) =>
        // The velocities of a relaxation do not correspond to a temperature.
        this.#stageOf(sample, s).dts === undefined ? 0 : temperatureOf(energy, freedom[s]!)
      ),
      // The caller may change the batch between two calls of `step`.
      energies: running.isByHand ? undefined : sample.energies?.slice(),
      kinetic,
    };
    this.#lookAt(run, sample);
  }

  /** Returns the parameters of the stage in which a system was when the sample was taken. */
  #stageOf({ stages }: Sample, system: number): WatchedStage {
    const all = this.#watched!.stages;
    return all[stages?.[system] ?? 0] ?? all.at(-1)!;
  }

  #checkSteps(run: BatchRun, dts: Float64Array): void {
    const limits = stepLimits(run);
    const at = dts.findIndex((dt, s) => !(dt >= SHORTEST && dt <= limits[s]!.longest));
    if (at === -1) return;
    const { longest, mass } = limits[at]!;
    this.#report(
      "dt",
      `The dt of ${this.#engine.name} is ${dts[at]} fs, outside ${SHORTEST} to ${
        digits(longest)
      } fs: the lightest atom has ${digits(mass)} amu. Try 0.5 to 1 fs with ` +
        `hydrogen, and 2 to 5 fs without; dt is in femtoseconds`,
      -1,
      [at],
    );
  }

  #lookAt(run: BatchRun, sample: Sample): void {
    if (sample.hasDiverged || (this.#found.has("hot") && this.#found.has("fast"))) return;
    if (this.#watch(run) === undefined) return;
    const { velocities, weights, step } = sample, { batch: { nodeOffsets, size } } = run.state;
    const freedom = freedomIn(run, this.#engine.integrator);
    for (let s = 0; s < size; s++) {
      const { dts, baths } = this.#stageOf(sample, s);
      if (dts === undefined) continue;
      let most = 0, atom = 0, sum = 0;
      for (let a = nodeOffsets[s]!; a < nodeOffsets[s + 1]!; a++) {
        const x = velocities[3 * a]!, y = velocities[3 * a + 1]!, z = velocities[3 * a + 2]!;
        const square = x * x + y * y + z * z;
        if (weights[a]! > 0) sum += square / weights[a]!;
        if (square > most) {
          most = square;
          atom = a - nodeOffsets[s]!;
        }
      }
      const system = { run, system: s, step, dt: dts[s]! };
      if (most * dts[s]! ** 2 > FARTHEST_MOVE ** 2) {
        this.#reportFast(system, atom, Math.sqrt(most) * dts[s]!);
      }
      this.#checkHeat(system, temperatureOf(sum / 2, freedom[s]!), freedom[s]!, baths?.[s]);
    }
  }

  #checkHeat(
    at: SystemAt,
    temperature: number,
    freedom: number,
    bath: number | undefined,
  ): void {
    const expected = this.#expectedOf(at.system, bath);
    // The temperature of a few atoms fluctuates strongly.
    const margin = OVER_BATH * (1 + 6 / Math.sqrt(freedom));
    const isOver = expected !== undefined && temperature > margin * expected;
    if (!isOver && !(temperature > HOTTEST)) return;
    const than = bath === undefined ? "" : `, and the bath has ${digits(bath)} K`;
    this.#report(
      "hot",
      `${named(at)} is too hot ${whenOf(at.step)} of ${this.#engine.name}: its temperature is ` +
        `${digits(temperature)} K${than}. ${advice(at)}`,
      at.step,
      [at.system],
    );
  }

  #reportFast(at: SystemAt, atom: number, move: number): void {
    this.#report(
      "fast",
      `${named(at)} moves too fast ${
        whenOf(at.step)
      } of ${this.#engine.name}: atom ${atom} moves ` +
        `${digits(move)} Å in a step. ${advice(at)}`,
      at.step,
      [at.system],
    );
  }

  #lookAtEnergies(run: BatchRun, sample: Sample): void {
    const { integrator, name, loop } = this.#engine,
      start = this.#watched?.start,
      { energies } = sample;
    if (start?.energies === undefined || energies === undefined) return;
    if (integrator.conservesEnergy !== true || sample.hasDiverged) return;
    if (loop.hooks.writes().size > 0 || loop.hooks.devices().length > 0) return;
    const { nodeOffsets } = run.state.batch, kinetic = kineticOf(run, sample), { step } = sample;
    for (let s = 0; s < kinetic.length; s++) {
      const change = energies[s]! + kinetic[s]! - start.energies[s]! - start.kinetic[s]!;
      const drift = change / (nodeOffsets[s + 1]! - nodeOffsets[s]!);
      if (!(Math.abs(drift) > MOST_DRIFT)) continue;
      const at = { run, system: s, step, dt: this.#stageOf(sample, s).dts![s]! };
      return this.#report(
        "drift",
        `${named(at)} has ${drift > 0 ? "gained" : "lost"} ${digits(Math.abs(drift))} eV per ` +
          `atom by step ${step} of ${name}, which conserves energy. ${advice(at)}`,
        step,
        [s],
      );
    }
  }

  /**
   * Returns the temperature of the thermostat, or the initial temperature of the system if that is higher, K. Returns
   * `undefined` if the system has no thermostat, or its initial temperature has not arrived yet.
   */
  #expectedOf(system: number, bath: number | undefined): number | undefined {
    const { stream } = this.#engine.running;
    if (bath === undefined || (stream === undefined && this.#watched?.start === undefined)) {
      return undefined;
    }
    return Math.max(bath, this.#watched?.start?.temperatures[system] ?? 0, 1);
  }

  /** Returns the data of the batch of a run; `undefined` if its steps take no time. */
  #watch(run: BatchRun): WatchedBatch | undefined {
    if (this.#watched?.run !== run) this.#watched = watchedBatch(run, this.#engine.integrator);
    return this.#watched;
  }

  /**
   * Reports a kind of problem once per run in the outcome, and once per engine as a warning. Throws it if the engine
   * is strict.
   */
  #report(kind: Kind, message: string, step: number, systems: readonly number[]): void {
    if (this.#found.has(kind)) return;
    this.#found.add(kind);
    const { loop } = this.#engine;
    const error = new UnstableError(message, step, systems);
    if (this.#isStrict) throw error;
    if (this.#warned.has(kind)) return loop.warnings.note(message);
    this.#warned.add(kind);
    loop.warnings.warn("stability", "run", error);
  }
}

function named({ run: { state: { batch } }, system }: SystemAt): string {
  return `System ${systemName(batch.infos, system)}`;
}

function advice({ dt }: SystemAt): string {
  return `Try a smaller dt (now ${dt} fs), or relax the structure first`;
}

function whenOf(step: number): string {
  return step < 0 ? "before the first step" : `at step ${step}`;
}

function digits(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded < 1e6 ? String(rounded) : rounded.toExponential();
}
