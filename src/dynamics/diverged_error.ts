/** Details about a divergence, from which the error message is made. */
export interface DivergedDetails {
  /** The quantity that shows the divergence, such as positions that are not finite. @default "positions" */
  readonly cause?: DivergedCause;
  /** Index of the first atom with a wrong value, within the first of the diverged systems. */
  readonly atom?: number | undefined;
  /** Name of the model that returned values that are not finite. */
  readonly model?: string;
  /** The model's explanation of the values that are not finite, if the model provides one. */
  readonly fault?: string | undefined;
  /** Explanation of why the cell is too flat or too small for the neighbor pairs. */
  readonly flat?: string;
  /** True if the first of the diverged systems is periodic. */
  readonly isPeriodic?: boolean;
  /** Names of the systems in messages, from `systemName`. @default their slots */
  readonly names?: readonly string[];
  /** Time step, fs; `undefined` if steps take no time or the time step is not known. */
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
 * Error for a system that has diverged: positions, velocities, forces or energies are not finite, the cell or the
 * pairs cannot be used, or bonds cannot be kept at their lengths.
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
  /** Name of the error. It identifies the error across realms, where `instanceof` fails. */
  override readonly name = "DivergedError";
  /** Step in which the systems diverged; −1 before the first step. */
  readonly step: number;
  /** Slots of the diverged systems. */
  readonly systems: readonly number[];

  /** Creates the error. Its message names the systems, the step, the cause and a remedy. */
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

/** Returns the part of the message that describes the cause. */
function happened({ cause = "positions", atom, model, fault, flat }: DivergedDetails): string {
  const first = atom === undefined ? "" : ` (atom ${atom} first)`;
  if (cause === "bonds") return "fixBonds could not restore all bond lengths within maxIterations";
  if (cause === "cell" && flat === undefined) return "its cell is not finite";
  if (cause === "cell") return `its cell is too flat for the pairs of its atoms: ${flat}`;
  if (cause === "pairs") return `an atom has more pairs than this GPU can process: ${flat}`;
  if (cause === "velocities") return `velocities are not finite${first}`;
  if (cause === "positions") return `positions are not finite, or out of reach${first}`;
  const by = model === undefined ? "" : ` that ${model} gives`;
  const why = fault === undefined ? first : ` (${fault})`;
  return cause === "energy"
    ? `the energy${by} is not finite${why}`
    : `forces${by} are not finite${why}`;
}

/** Returns the part of the message that recommends a remedy. */
function advice({ cause = "positions", flat, isPeriodic, dt }: DivergedDetails): string {
  const smaller = dt === undefined ? "Try a smaller step" : `Try a smaller dt (now ${dt} fs)`;
  if (cause === "bonds") {
    return `${smaller}, and look for bonds whose lengths contradict each other`;
  }
  if (cause === "cell" && flat !== undefined) {
    return "Use a shorter cutoff or a supercell, or a smaller dt if the run has changed the cell";
  }
  if (cause === "pairs") {
    return `Pass device: "wasm", or use a shorter cutoff${isPeriodic ? " or a supercell" : ""}`;
  }
  if (cause === "forces" || cause === "energy") {
    return "Look for atoms that are too close to each other, or unlike those the model was made for; " +
      `then ${smaller.charAt(0).toLowerCase()}${smaller.slice(1)}`;
  }
  return `${smaller}, and look for atoms that start too close to each other`;
}

/**
 * Error for a run whose values are finite but not physical: a system is far too hot, atoms move too fast, or the
 * energy drifts. It ends a run with the option `strict: true`.
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
  /** Name of the error. It identifies the error across realms, where `instanceof` fails. */
  override readonly name = "UnstableError";
  /** Step in which the problem was detected; −1 before the first step. */
  readonly step: number;
  /** Slots of the affected systems. */
  readonly systems: readonly number[];

  /** Creates the error. `message` describes the problem and a remedy. */
  constructor(message: string, step: number, systems: readonly number[]) {
    super(message);
    this.step = step;
    this.systems = systems;
  }
}
