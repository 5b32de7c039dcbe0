/** Details of the cause. */
export interface DivergedDetails {
  /** The quantity that is not finite, or the bonds that could not be kept. @default "positions" */
  readonly cause?: DivergedCause;
  /** The first atom of which it is not finite, counted within the first system. */
  readonly atom?: number | undefined;
  /** The model that returned values that are not finite. */
  readonly model?: string;
  /** The model's own explanation. */
  readonly fault?: string | undefined;
  /** Explanation of why the cell is too flat, or too small, for the pairs of its atoms. */
  readonly flat?: string;
  /** Names of the systems in messages: see `systemName`. @default their slots */
  readonly names?: readonly string[];
  /** The time step, fs. */
  readonly dt?: number | undefined;
}

/** The quantity that shows that a system has diverged. */
export type DivergedCause =
  | "positions"
  | "velocities"
  | "forces"
  | "energy"
  | "bonds"
  | "cell"
  | "pairs";

/**
 * A system has diverged: positions, velocities, forces or energies are not finite, or bonds cannot be kept.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { DivergedError, NVE } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const broken = potential(({ forces }) => {
 *   forces[0] = NaN;
 *   return 0;
 * });
 * await using md = new NVE({ model: broken, dt: 1 });
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]);
 * const error = await assertRejects(() => md.run(batch, 10), DivergedError);
 * assertEquals(error.systems, [0]);
 * ```
 */
export class DivergedError extends Error {
  /** By which it is known across realms. */
  override readonly name = "DivergedError";
  /** The step in which it happened; −1 before the first step. */
  readonly step: number;
  /** The places of the systems. */
  readonly systems: readonly number[];

  /** Describes the place and the remedy. */
  constructor(
    engine: string,
    step: number,
    systems: readonly number[],
    details: DivergedDetails = {},
  ) {
    const { names = systems } = details;
    const when = step < 0 ? "before the first step" : `at step ${step}`;
    super(
      `System${systems.length === 1 ? "" : "s"} ${
        names.join(", ")
      } diverged ${when} of ${engine}: ` +
        `${happened(details)}. ${advice(details)}`,
    );
    this.step = step;
    this.systems = systems;
  }
}

/** Describes the cause. */
function happened({ cause = "positions", atom, model, fault, flat }: DivergedDetails): string {
  const first = atom === undefined ? "" : ` (atom ${atom} first)`;
  if (cause === "bonds") return "bonds do not get back to their lengths within maxIterations";
  if (cause === "cell" && flat === undefined) return "its cell is not finite";
  if (cause === "cell") return `its cell is too flat for the pairs of its atoms: ${flat}`;
  if (cause === "pairs") return `an atom has more pairs than this GPU can go through: ${flat}`;
  if (cause === "velocities") return `velocities are not finite${first}`;
  if (cause === "positions") return `positions are not finite, or out of reach${first}`;
  const by = model === undefined ? "" : ` that ${model} gives`;
  const why = fault === undefined ? first : ` (${fault})`;
  return cause === "energy"
    ? `the energy${by} is not finite${why}`
    : `forces${by} are not finite${why}`;
}

/** Returns the remedy. */
function advice({ cause = "positions", flat, dt }: DivergedDetails): string {
  const smaller = dt === undefined ? "Try a smaller step" : `Try a smaller dt (now ${dt} fs)`;
  if (cause === "bonds") return `${smaller}, and look for bonds that cannot all have their lengths`;
  if (cause === "cell" && flat !== undefined) {
    return "Use a shorter cutoff or a repeated cell, or a smaller dt if the run has changed the cell";
  }
  if (cause === "pairs") return "Use device wasm, a shorter cutoff or a repeated cell";
  if (cause === "forces" || cause === "energy") {
    return "Look for atoms that are too close to each other, or unlike those the model was made for; " +
      `then ${smaller.charAt(0).toLowerCase()}${smaller.slice(1)}`;
  }
  return `${smaller}, and look for atoms that start too close to each other`;
}

/**
 * A run is finite, but not physical: far too hot, too fast, or its energy drifts. `strict: true` ends a run by it.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE, UnstableError } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertRejects } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVE({ model, dt: 2, strict: true });
 * const dimer = { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 2.2, 0, 0] }; // far too close
 * await assertRejects(() => md.run(Batch.from([dimer]), 200), UnstableError);
 * ```
 */
export class UnstableError extends Error {
  /** By which it is known across realms. */
  override readonly name = "UnstableError";
  /** The step in which it was noticed; −1 before the first step. */
  readonly step: number;
  /** The places of the systems. */
  readonly systems: readonly number[];

  /** Describes the problem and the remedy. */
  constructor(message: string, step: number, systems: readonly number[]) {
    super(message);
    this.step = step;
    this.systems = systems;
  }
}
