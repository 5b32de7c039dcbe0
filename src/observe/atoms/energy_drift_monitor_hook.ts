import { numberFrom } from "../../base/check_number.ts";
import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import { complaint } from "../../base/show.ts";
import {
  checkGiven,
  checkNumber,
  checkOptions,
  checkType,
  isFlag,
  isOneOf,
  timesOf,
} from "../any/hook_options.ts";

/** How a drift is measured: |E − E₀| in eV, that per atom, or that per atom and step. */
export type DriftMetric = "absolute" | "perAtom" | "perAtomPerStep";

/** What an {@linkcode EnergyDriftMonitorHook} can be told. */
export interface EnergyDriftMonitorHookOptions {
  /** The most that the energy of a system may be off by, in eV, as `metric` measures it. */
  readonly threshold: number;
  /**
   * How the drift is measured.
   *
   * @default "perAtomPerStep"
   */
  readonly metric?: DriftMetric;
  /**
   * What happens beyond the threshold: a warning, counted and handed to `onWarning`, or the end of the run.
   *
   * @default "warn"
   */
  readonly action?: "warn" | "throw";
  /**
   * Whether kinetic energy counts, too: the total is what NVE conserves.
   *
   * @default true
   */
  readonly includeKinetic?: boolean;
  /**
   * Looks at every so many steps.
   *
   * @default 1
   */
  readonly frequency?: number;
}

/** The energy of a system has drifted further than it may. */
export class EnergyDriftError extends Error {
  /** What errors of this kind are called. */
  override readonly name = "EnergyDriftError";
  /** The step in which it was seen. */
  readonly step: number;
  /** The places of all systems that have drifted too far. */
  readonly systems: readonly number[];
  /** The largest drift, in eV, as the metric measures it. */
  readonly drift: number;

  /** Says how far, and which system. */
  constructor(
    engine: string,
    step: number,
    { systems, drift, worst, limit }: {
      readonly systems: readonly number[];
      readonly drift: number;
      readonly worst: number;
      readonly limit: string;
    },
  ) {
    const more = systems.length === 1 ? "" : `, and ${systems.length - 1} more are beyond it`;
    super(
      `Cannot trust ${engine}: the energy must stay within ${limit}: in step ${step} that of system ${worst} ` +
        `is off by ${drift}${more}; try a shorter dt`,
    );
    this.step = step;
    this.systems = systems;
    this.drift = drift;
  }
}

/** Where a system began. */
interface Reference {
  readonly energy: number;
  readonly steps: number;
}

const NAME = "EnergyDriftMonitorHook";
const OPTIONS = ["threshold", "metric", "action", "includeKinetic", "frequency"];
const UNITS: Readonly<Record<DriftMetric, string>> = {
  absolute: "eV",
  perAtom: "eV per atom",
  perAtomPerStep: "eV per atom and step",
};

/**
 * Watches over the conservation of energy. The first energy it sees of a system is what later ones are compared with;
 * a rate counts the steps since then. That goes with the system, by its `systemId`: through later runs of the same
 * batch, whatever systems join or leave it between, and through checkpoints. Another batch begins anew, and so does
 * `reset()`: call it when velocities were drawn anew.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { EnergyDriftError, EnergyDriftMonitorHook } from "@hooke/hooke/observe";
 * import { assertRejects } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 300, { seed: 1 });
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 40, // too long a step
 *   hooks: [new EnergyDriftMonitorHook({ threshold: 1e-3, metric: "perAtom", action: "throw" })],
 * });
 * await assertRejects(() => md.run(batch, 500), EnergyDriftError, "0.001 eV per atom");
 * ```
 */
export class EnergyDriftMonitorHook {
  /** When a step is done. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** At every so many steps. */
  readonly frequency: number;
  /** What it looks at. */
  readonly reads: readonly ("energy" | "kineticEnergy" | "systemId" | "stepsDone")[];
  /** What happens beyond the threshold. */
  readonly onError: "warn" | "throw";
  readonly #threshold: number;
  readonly #metric: DriftMetric;
  readonly #isTotal: boolean;
  #references = new Map<number, Reference>();
  #batch: WeakRef<Batch> | undefined;

  /** Makes a monitor that has seen nothing. */
  constructor(options: EnergyDriftMonitorHookOptions) {
    checkOptions(NAME, options, OPTIONS);
    checkGiven(NAME, options, "threshold", "in eV");
    checkNumber(NAME, options, "threshold", numberFrom(0));
    checkType(
      NAME,
      options,
      "metric",
      Object.keys(UNITS).join(" | "),
      isOneOf(...Object.keys(UNITS)),
    );
    checkType(NAME, options, "action", '"warn" or "throw"', isOneOf("warn", "throw"));
    checkType(NAME, options, "includeKinetic", "true or false", isFlag);
    const { threshold, metric = "perAtomPerStep", action = "warn", frequency = 1 } = options;
    timesOf(NAME, { frequency });
    this.frequency = frequency;
    this.onError = action;
    this.#threshold = threshold;
    this.#metric = metric;
    this.#isTotal = options.includeKinetic ?? true;
    this.reads = [
      "energy",
      "systemId",
      "stepsDone",
      ...(this.#isTotal ? ["kineticEnergy" as const] : []),
    ];
  }

  /** Looks at the energies. Called by the engine. */
  call({ batch, read, stepCount, workflow }: DynamicsContext): void {
    this.#meet(batch);
    const drifts = Array.from({ length: batch.size }, (_, place) => {
      const kinetic = this.#isTotal ? read.kineticEnergy![place]! : 0;
      const now = { energy: read.energy![place]! + kinetic, steps: read.stepsDone![place]! };
      const atoms = batch.nodeOffsets[place + 1]! - batch.nodeOffsets[place]!;
      return this.#driftOf(read.systemId![place]!, now, atoms);
    });
    // An energy that is no number is beyond any threshold.
    const systems = drifts.flatMap((drift, place) => drift <= this.#threshold ? [] : [place]);
    if (systems.length === 0) return;
    const worst = systems.reduce((a, b) => drifts[b]! <= drifts[a]! ? a : b);
    const limit = `${this.#threshold} ${UNITS[this.#metric]}`;
    const drift = drifts[worst]!;
    throw new EnergyDriftError(workflow.name, stepCount, { systems, drift, worst, limit });
  }

  /** Forgets what systems began with: the next energies are what later ones are compared with. */
  reset(): void {
    this.#references.clear();
  }

  /** What systems began with: plain data. Called by the engine. */
  save(): { readonly references: readonly (readonly [number, number, number])[] } {
    const references = [...this.#references].map(([id, { energy, steps }]) =>
      [id, energy, steps] as const
    );
    return { references };
  }

  /** Goes on where `save` was called. Throws a TypeError for what `save` did not give. Called by the engine. */
  load(state: unknown): void {
    const list = (state as { readonly references?: unknown } | null | undefined)?.references;
    if (!Array.isArray(list) || !list.every(isSavedReference)) {
      throw new TypeError(complaint(`load ${NAME}`, "its state must be what save() gave", state));
    }
    this.#references = new Map(list.map(([id, energy, steps]) => [id, { energy, steps }]));
    this.#batch = undefined; // the next batch is the one that was saved
  }

  #meet(batch: Batch): void {
    const known = this.#batch;
    const { whole } = batch; // in a stage of a run systems come and go
    if (known?.deref() === whole) return;
    if (known !== undefined) this.reset();
    this.#batch = new WeakRef(whole);
  }

  #driftOf(id: number, now: Reference, atoms: number): number {
    const reference = this.#references.get(id);
    if (reference === undefined) {
      this.#references.set(id, now);
      return Number.isFinite(now.energy) ? 0 : NaN;
    }
    const off = Math.abs(now.energy - reference.energy);
    if (this.#metric === "absolute") return off;
    if (this.#metric === "perAtom") return off / atoms;
    return off / (atoms * Math.max(1, now.steps - reference.steps));
  }
}

function isSavedReference(entry: unknown): entry is readonly [number, number, number] {
  return Array.isArray(entry) && entry.length === 3 && entry.every((x) => typeof x === "number");
}
