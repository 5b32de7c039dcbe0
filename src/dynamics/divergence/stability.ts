/**
 * Warns of runs that are finite, but not physical.
 *
 * @module
 */

import { after } from "../../base/sequence.ts";
import type { Buffer } from "../../backend/backend.ts";
import { labelOf } from "../../batch/system_label.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import { BOLTZMANN } from "../../kernels/constants.ts";
import { Control } from "../../kernels/kernel.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { isFromField, type PerSystem, perSystem } from "../integrators/parameters.ts";
import type { BatchRun } from "../step/batch_run.ts";
import { UnstableError } from "../diverged_error.ts";

/** A run that is hotter, K, is not physical. */
const HOTTEST = 1e5;
/** Nor is one hotter than so many times its bath, and than it was when it began. */
const OVER_BATH = 10;
/** Å that no atom moves in a step. */
const FARTHEST_MOVE = 0.5;
/** eV per atom by which the energy of a run at constant energy may change. */
const MOST_DRIFT = 0.05;
/** Time steps of molecular dynamics, fs. */
const SHORTEST = 0.01, LONGEST = 20;
/** Steps from one look to the next at the beginning of a run, at most. */
const SOON = 64;
/** Systems are looked at about as often, ms. */
const EVERY_MS = 500;

/** The engine whose runs are watched. */
interface WatchedEngine {
  readonly name: string;
  readonly integrator: Integrator;
  readonly loop: Loop<DynamicsKind>;
  readonly running: { readonly stream: unknown };
}

/** Kinds of what is wrong: a warning is given once for each. */
type Kind = "dt" | "hot" | "fast" | "drift";

/** A system as it was when the run began. */
interface Start {
  /** K. */
  readonly temperatures: Float64Array;
  /** Potential energies, eV, if they are known. */
  readonly energies: NumericArray | undefined;
  /** Kinetic energies, eV. */
  readonly kinetic: Float64Array;
  /** Temperatures of the baths, K; `undefined` without baths. */
  readonly baths: Float64Array | undefined;
}

/**
 * Looks at velocities now and then, about twice per second, and at energies when a run ends. Nothing is computed in
 * between: a step costs one comparison.
 */
export class Stability {
  readonly #engine: WatchedEngine;
  readonly #isStrict: boolean;
  readonly #warned = new Set<Kind>();
  /** Findings of the current run. */
  readonly #found = new Set<Kind>();
  #dts: Float64Array | undefined;
  #start: Start | undefined;
  #interval = 1;
  #lookedAt = 0;
  /** The number of steps after which velocities are looked at next. */
  next: number = Infinity;

  /** Watches nothing yet. */
  constructor(engine: WatchedEngine, isStrict: boolean) {
    this.#engine = engine;
    this.#isStrict = isStrict;
  }

  /**
   * Returns how many steps may run in one call. The first steps of a run are looked at more often; later calls are as long
   * as they come, because each costs more than a look.
   */
  limit(stepCount: number): number {
    return this.#interval > SOON ? Infinity : this.next - stepCount;
  }

  /** Watches nothing until the next run begins. */
  rest(): void {
    this.next = Infinity;
    this.#dts = undefined;
  }

  /** Begins a run: checks the time step, and notes temperatures and energies. */
  begin(run: BatchRun): void {
    const { integrator, loop, running } = this.#engine;
    this.#found.clear();
    this.next = Infinity;
    const { state, state: { batch } } = run;
    this.#dts = timeSteps(integrator, batch.size);
    if (this.#dts === undefined) return; // steps that take no time
    this.#checkSteps(this.#dts);
    this.#interval = 1;
    this.#lookedAt = performance.now();
    this.next = loop.stepCount + 1;
    this.#start = undefined;
    if (running.stream !== undefined) return; // systems come and go
    const buffers = buffersOf(run), { backend } = state;
    if (backend.isHost) return this.#noteStart(run, buffers.map((buffer) => backend.view(buffer)));
    void loop.defer(backend.readLate(buffers), (arrays) => {
      if (arrays !== undefined) this.#noteStart(run, arrays as NumericArray[]);
    });
  }

  #noteStart(run: BatchRun, [velocities, weights, energy]: readonly NumericArray[]): void {
    const { integrator: { name, temperature } } = this.#engine, { size } = run.state.batch;
    const kinetic = kineticOf(run, velocities!, weights!);
    this.#start = {
      temperatures: kinetic.map((energy, s) => temperatureOf(run, s, energy)),
      energies: run.hasEnergy ? energy!.slice() : undefined,
      kinetic,
      baths: temperature === undefined || isFromField(temperature)
        ? undefined
        : perSystem(name, "temperature", temperature, size),
    };
    this.#lookAt(run, velocities!, weights!, this.#engine.loop.stepCount - 1);
  }

  /** Looks at the velocities of all systems: at once on the host, when they arrive from a device. */
  look(run: BatchRun): void {
    const { loop } = this.#engine, { state } = run;
    const now = performance.now();
    if (now - this.#lookedAt < EVERY_MS) this.#interval *= 2;
    this.#lookedAt = now;
    const step = loop.stepCount - 1;
    this.next = loop.stepCount + this.#interval;
    if (state.backend.isHost) {
      return this.#lookAt(
        run,
        state.view(state.field("velocities")),
        state.view(state.weights()),
        step,
      );
    }
    const buffers = [state.frame.control, state.field("velocities"), state.weights()];
    void loop.defer(state.backend.readLate(buffers as Buffer[]), (arrays) => {
      if (arrays === undefined || arrays[0]![Control.DIVERGED] !== 0) return;
      this.#lookAt(run, arrays[1]!, arrays[2]!, step);
    });
  }

  /** Ends a run: looks at velocities and energies as they are then. */
  end(run: BatchRun): void | PromiseLike<void> {
    if (this.#dts === undefined) return;
    this.next = Infinity;
    const { state } = run, step = this.#engine.loop.stepCount - 1;
    const { backend } = state, buffers = buffersOf(run);
    const arrays = backend.isHost
      ? buffers.map((buffer) => backend.view(buffer))
      : backend.viewOrRead(buffers);
    return after<readonly NumericArray[], void>(
      arrays as NumericArray[],
      ([velocities, weights, energy]) => {
        this.#lookAt(run, velocities!, weights!, step);
        this.#lookAtEnergies(run, kineticOf(run, velocities!, weights!), energy!, step);
      },
    );
  }

  #checkSteps(dts: Float64Array): void {
    const at = dts.findIndex((dt) => !(dt >= SHORTEST && dt <= LONGEST));
    if (at === -1) return;
    this.#report(
      "dt",
      `The dt of ${this.#engine.name} is ${
        dts[at]
      } fs, outside ${SHORTEST} to ${LONGEST} fs. Try 0.5 to 1 fs with ` +
        `hydrogen, and 2 to 5 fs without; dt is in femtoseconds`,
      -1,
      [at],
    );
  }

  #lookAt(run: BatchRun, velocities: NumericArray, weights: NumericArray, step: number): void {
    if (this.#found.has("hot") && this.#found.has("fast")) return;
    const { batch: { nodeOffsets, size } } = run.state, dts = this.#dts!;
    for (let s = 0; s < size; s++) {
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
      const dt = dts[s]!;
      if (most * dt * dt > FARTHEST_MOVE ** 2) {
        this.#reportFast(run, s, atom, Math.sqrt(most) * dt, step);
      }
      this.#checkHeat(run, s, temperatureOf(run, s, sum / 2), step);
    }
  }

  #checkHeat(run: BatchRun, system: number, temperature: number, step: number): void {
    const bath = this.#bathOf(system);
    // The temperature of a few atoms fluctuates by much.
    const margin = OVER_BATH * (1 + 6 / Math.sqrt(freedomOf(run, system)));
    const isOver = bath !== undefined && temperature > margin * bath;
    if (!isOver && !(temperature > HOTTEST)) return;
    const than = bath === undefined ? "" : `, and that of the bath ${digits(bath)} K`;
    this.#report(
      "hot",
      `${this.#named(run, system)} is too hot ${
        whenOf(step)
      } of ${this.#engine.name}: its temperature is ` +
        `${digits(temperature)} K${than}. ${this.#advice(system)}`,
      step,
      [system],
    );
  }

  #reportFast(run: BatchRun, system: number, atom: number, move: number, step: number): void {
    this.#report(
      "fast",
      `${this.#named(run, system)} moves too fast ${
        whenOf(step)
      } of ${this.#engine.name}: atom ${atom} moves ` +
        `${digits(move)} Å in a step. ${this.#advice(system)}`,
      step,
      [system],
    );
  }

  #lookAtEnergies(
    run: BatchRun,
    kinetic: Float64Array,
    energies: NumericArray,
    step: number,
  ): void {
    const { integrator, name, loop } = this.#engine, start = this.#start;
    if (start?.energies === undefined || integrator.conservesEnergy !== true) return;
    if (loop.hooks.writes().size > 0 || loop.hooks.devices().length > 0) return;
    const { nodeOffsets } = run.state.batch;
    for (let s = 0; s < kinetic.length; s++) {
      const change = energies[s]! + kinetic[s]! - start.energies[s]! - start.kinetic[s]!;
      const drift = change / (nodeOffsets[s + 1]! - nodeOffsets[s]!);
      if (!(Math.abs(drift) > MOST_DRIFT)) continue;
      return this.#report(
        "drift",
        `${this.#named(run, s)} has ${drift > 0 ? "gained" : "lost"} ${
          digits(Math.abs(drift))
        } eV per atom by step ` +
          `${step} of ${name}, which conserves energy. ${this.#advice(s)}`,
        step,
        [s],
      );
    }
  }

  /** The temperature of a bath, or the one that the run began with if that is higher; `undefined` without a bath. */
  #bathOf(system: number): number | undefined {
    const start = this.#start;
    if (start?.baths === undefined) return undefined;
    return Math.max(start.baths[system]!, start.temperatures[system]!, 1);
  }

  #named({ state: { batch } }: BatchRun, system: number): string {
    const label = labelOf(batch.infos[system]);
    return `System ${system}${label === undefined ? "" : ` (${label})`}`;
  }

  #advice(system: number): string {
    return `Try a smaller dt (now ${this.#dts![system]} fs), or relax the structure first`;
  }

  /** Reports what is wrong once per run: in the outcome, and once per engine as a warning. Throws it if it is strict. */
  #report(kind: Kind, message: string, step: number, systems: readonly number[]): void {
    if (this.#found.has(kind)) return;
    this.#found.add(kind);
    const { loop } = this.#engine;
    const error = new UnstableError(message, step, systems);
    if (this.#isStrict) throw error;
    loop.note(message);
    if (this.#warned.has(kind)) return;
    this.#warned.add(kind);
    loop.hooks.warn("(stability)", "run", error);
  }
}

/** Returns the buffers with velocities, weights and energies. */
function buffersOf({ state }: BatchRun): Buffer[] {
  return [state.field("velocities"), state.weights(), state.field<"f64">("energy")] as Buffer[];
}

/** Returns the time step of each system, fs; `undefined` if steps take no time in some stage, or come from a field. */
function timeSteps({ name, dt, stages }: Integrator, systems: number): Float64Array | undefined {
  const all = stages === undefined ? [dt] : stages.map(({ dt }) => dt);
  const known = all.filter((one): one is PerSystem => one !== undefined && !isFromField(one));
  if (known.length < all.length) return undefined;
  const each = known.map((one) => perSystem(name, "dt", one, systems));
  return new Float64Array(systems).map((_, s) => Math.max(...each.map((dts) => dts[s]!)));
}

/** Returns the kinetic energy of each system, eV. */
function kineticOf(
  { state: { batch: { nodeOffsets, size } } }: BatchRun,
  velocities: NumericArray,
  weights: NumericArray,
): Float64Array {
  const kinetic = new Float64Array(size);
  for (let s = 0; s < size; s++) {
    let sum = 0;
    for (let i = 3 * nodeOffsets[s]!; i < 3 * nodeOffsets[s + 1]!; i++) {
      const weight = weights[Math.floor(i / 3)]!;
      if (weight > 0) sum += velocities[i]! * velocities[i]! / weight;
    }
    kinetic[s] = sum / 2;
  }
  return kinetic;
}

/** Returns the temperature for a kinetic energy, K. */
function temperatureOf(run: BatchRun, system: number, kinetic: number): number {
  return 2 * kinetic / (freedomOf(run, system) * BOLTZMANN);
}

/** Returns the degrees of freedom of a system, which the motion of its center is not counted among. */
function freedomOf(
  { state: { batch: { nodeOffsets }, constrained } }: BatchRun,
  system: number,
): number {
  const atoms = nodeOffsets[system + 1]! - nodeOffsets[system]!;
  return Math.max(1, (atoms > 1 ? 3 * atoms - 3 : 3) - constrained[system]!);
}

function whenOf(step: number): string {
  return step < 0 ? "before the first step" : `at step ${step}`;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}
