import { systemName } from "../../batch/store.ts";
import { numberFrom } from "../../base/check_number.ts";
import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import { complaint } from "../../base/show.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  isFlag,
  isOneOf,
  timesOf,
} from "../any/hook_options.ts";

/**
 * Measure of a drift: `"absolute"` is |E − E₀| in eV, `"perAtom"` divides it by the number of atoms,
 * `"perAtomPerStep"` also by the number of steps.
 */
export type DriftMetric = "absolute" | "perAtom" | "perAtomPerStep";

/** Options of {@linkcode EnergyDriftMonitorHook}. */
export interface EnergyDriftMonitorHookOptions {
  /**
   * Largest allowed drift of the energy of a system, in the unit of `metric`: eV, eV per atom, or eV per atom and
   * step.
   */
  readonly threshold: number;
  /**
   * Measure of the drift.
   *
   * @default "perAtomPerStep"
   */
  readonly metric?: DriftMetric;
  /**
   * Reaction to a larger drift: `"warn"` counts a warning and hands it to `onWarning`, `"throw"` ends the run.
   *
   * @default "warn"
   */
  readonly action?: "warn" | "throw";
  /**
   * Adds the kinetic energy to the potential energy, because NVE conserves their sum.
   *
   * @default true
   */
  readonly includeKinetic?: boolean;
  /**
   * Number of steps between two checks.
   *
   * @default 1
   */
  readonly frequency?: number;
}

/** Error for systems whose energy has drifted beyond the threshold. */
export class EnergyDriftError extends Error {
  /** Name of the class. */
  override readonly name = "EnergyDriftError";
  /** Step in which the drift was found. */
  readonly step: number;
  /** Slots of all systems beyond the threshold. */
  readonly systems: readonly number[];
  /** Largest drift, in the unit of `metric`: eV, eV per atom, or eV per atom and step. */
  readonly drift: number;

  /** Creates the error with a message that names the worst system and its drift. */
  constructor(
    engine: string,
    step: number,
    { systems, drift, worst, threshold, unit }: {
      readonly systems: readonly number[];
      readonly drift: number;
      readonly worst: string;
      readonly threshold: number;
      readonly unit: string;
    },
  ) {
    const more = systems.length === 1 ? "" : `, and ${systems.length - 1} more exceed it`;
    super(
      `${engine} does not conserve the energy: in step ${step}, the energy of system ${worst} has drifted by ` +
        `${
          Number(drift.toPrecision(3))
        } ${unit}, but at most ${threshold} ${unit} is allowed${more}. Try a smaller dt`,
    );
    this.step = step;
    this.systems = systems;
    this.drift = drift;
  }
}

/** First energy of a system, eV, and the number of steps that the system had done at that time. */
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
 * Monitors the conservation of energy. The first energy of a system is the reference for later ones. A drift per step
 * is divided by the number of steps since the reference. References belong to systems by their `systemId`. They are
 * kept in checkpoints and in later runs of the same batch, even if systems enter or leave it in between. Another
 * batch gets new references. Call `reset()` after drawing new velocities.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
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
  /** Stage of the hook: the end of a step. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** Number of steps between two checks. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ("energy" | "kineticEnergy" | "systemId" | "stepsDone")[];
  /** Reaction to a drift beyond the threshold. */
  readonly onError: "warn" | "throw";
  readonly #threshold: number;
  readonly #metric: DriftMetric;
  readonly #isTotal: boolean;
  #references = new Map<number, Reference>();
  #batch: WeakRef<Batch> | undefined;

  /** Creates the hook. */
  constructor(options: EnergyDriftMonitorHookOptions) {
    checkOptions(NAME, options, OPTIONS);
    checkRequired(NAME, options, "threshold", "the largest allowed drift in eV");
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

  /**
   * Checks the energies. Throws an EnergyDriftError if a drift exceeds the threshold or is NaN. Called by the engine.
   */
  call({ batch, read, stepCount, workflow }: DynamicsContext): void {
    this.#followBatch(batch);
    const drifts = Array.from({ length: batch.size }, (_, slot) => {
      const kinetic = this.#isTotal ? read.kineticEnergy![slot]! : 0;
      const now = { energy: read.energy![slot]! + kinetic, steps: read.stepsDone![slot]! };
      const atoms = batch.nodeOffsets[slot + 1]! - batch.nodeOffsets[slot]!;
      return this.#driftOf(read.systemId![slot]!, now, atoms);
    });
    // This comparison also selects drifts that are NaN.
    const systems = drifts.flatMap((drift, slot) => drift <= this.#threshold ? [] : [slot]);
    if (systems.length === 0) return;
    const worst = systems.reduce((a, b) => drifts[b]! <= drifts[a]! ? a : b);
    const drift = drifts[worst]!;
    throw new EnergyDriftError(workflow.name, stepCount, {
      systems,
      drift,
      worst: systemName(batch.infos, worst),
      threshold: this.#threshold,
      unit: UNITS[this.#metric],
    });
  }

  /** Forgets all references. The next energies become the new references. */
  reset(): void {
    this.#references.clear();
  }

  /**
   * Returns the references for a checkpoint as plain data, each as `[systemId, energy in eV, steps done]`. Called by
   * the engine.
   */
  save(): { readonly references: readonly (readonly [number, number, number])[] } {
    const references = [...this.#references].map(([id, { energy, steps }]) =>
      [id, energy, steps] as const
    );
    return { references };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the engine. */
  load(state: unknown): void {
    const list = (state as { readonly references?: unknown } | null | undefined)?.references;
    if (!Array.isArray(list) || !list.every(isSavedReference)) {
      throw new TypeError(
        complaint(`load ${NAME}`, "its state must be a result of save()", state),
      );
    }
    this.#references = new Map(list.map(([id, energy, steps]) => [id, { energy, steps }]));
    this.#batch = undefined; // the next batch is the saved one
  }

  #followBatch(batch: Batch): void {
    const known = this.#batch;
    const { whole } = batch; // a stage of a fused run sees only a part of the batch, and that part changes
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
    // At least one step, because a batch may be checked again before its next one.
    return off / (atoms * Math.max(1, now.steps - reference.steps));
  }
}

function isSavedReference(entry: unknown): entry is readonly [number, number, number] {
  return Array.isArray(entry) && entry.length === 3 && entry.every((x) => typeof x === "number");
}
