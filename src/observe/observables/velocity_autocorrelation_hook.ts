import type { DynamicsContext } from "../../dynamics/stages.ts";
import { ObservableHook } from "./observable_hook.ts";
import { CorrelatedSystems } from "./correlated_systems.ts";
import { checkCorrelation, type CorrelationOptions } from "./correlation_options.ts";

/** Options of {@linkcode VelocityAutocorrelationHook}. */
export type VelocityAutocorrelationHookOptions = CorrelationOptions;

/** Velocity autocorrelation of one system. */
export interface VelocityAutocorrelation {
  /** Id of the system. */
  readonly systemId: number;
  /** Lag times, fs. */
  readonly time: Float64Array;
  /** Autocorrelation ⟨v(t) · v(t + τ)⟩, Å²/fs². */
  readonly vacf: Float64Array;
  /** Autocorrelation divided by its value at lag 0. */
  readonly normalized: Float64Array;
  /** Number of origins that each lag is averaged over. */
  readonly origins: Float64Array;
  /** Diffusion coefficient up to each lag, a third of the integral of `vacf` by trapezoids, Å²/fs. */
  readonly diffusion: Float64Array;
}

const NAME = "VelocityAutocorrelationHook";

/**
 * Computes the velocity autocorrelation function of each system during a run, like `compute vacf` of LAMMPS, but with
 * many time origins.
 *
 * C(τ) = ⟨v(t) · v(t + τ)⟩, a mean over atoms and origins t; D = ⅓ ∫ C dτ by the Green-Kubo relation.
 *
 * | symbol | meaning                                          | unit    |
 * | ------ | ------------------------------------------------ | ------- |
 * | v      | velocity                                         | Å/fs    |
 * | τ      | lag: whole multiples of the time between samples | fs      |
 * | C      | autocorrelation                                  | Å²/fs²  |
 * | D      | diffusion coefficient                            | Å²/fs   |
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { VelocityAutocorrelationHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const vacf = new VelocityAutocorrelationHook({ frequency: 5, lags: 60 });
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 4,
 *   hooks: [vacf],
 * });
 * await md.run(batch, 500);
 * const { time, normalized } = vacf.results()[0]!;
 * assertEquals([normalized[0], time[1]], [1, 20]);
 * assertEquals(normalized.some((c) => c < 0), true); // atoms of a crystal come back
 * ```
 */
export class VelocityAutocorrelationHook extends ObservableHook {
  /** Number of steps between two samples. */
  readonly frequency: number;
  /** Number of steps before the first sample. */
  readonly after: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ("velocities" | "time" | "systemId" | "numbers")[];
  readonly #systems: CorrelatedSystems;

  /** Creates the hook. */
  constructor(options: VelocityAutocorrelationHookOptions = {}) {
    const checked = checkCorrelation(NAME, options, []);
    const systems = new CorrelatedSystems(NAME, checked, products);
    super(systems);
    this.#systems = systems;
    this.frequency = checked.frequency;
    this.after = checked.after;
    const seen = ["velocities", "time", "systemId"] as const;
    this.reads = checked.element === undefined ? seen : [...seen, "numbers"];
  }

  /** Adds a sample of each system. Called by the engine. */
  call(ctx: DynamicsContext<"velocities" | "time" | "systemId" | "numbers">): void {
    const { velocities } = ctx.read;
    this.#systems.sample(ctx, (_, indices) => {
      const values = new Float64Array(3 * indices.length);
      for (let n = 0; n < values.length; n++) {
        values[n] = velocities[3 * indices[Math.floor(n / 3)]! + n % 3]!;
      }
      return values;
    });
  }

  /** Returns the results so far of each system, in the order in which systems were first seen. */
  results(): VelocityAutocorrelation[] {
    return this.#systems.results().map(({ systemId, time, mean: vacf, origins }) => {
      const normalized = vacf.map((c) => c / vacf[0]!);
      return { systemId, time, vacf, normalized, origins, diffusion: integral(time, vacf) };
    });
  }
}

function products(now: Float64Array, before: Float64Array, from: number): number {
  let sum = 0;
  for (let i = 0; i < now.length; i++) sum += now[i]! * before[from + i]!;
  return sum;
}

/** Returns a third of the integral up to each time, by the trapezoidal rule. */
function integral(time: Float64Array, values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value, i) => {
    if (i > 0) sum += (value + values[i - 1]!) * (time[i]! - time[i - 1]!) / 2;
    return sum / 3;
  });
}
