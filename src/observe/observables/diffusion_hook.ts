import type { DynamicsContext } from "../../dynamics/stages.ts";
import { ObservableHook } from "./observable_hook.ts";
import { CorrelatedSystems } from "./correlated_systems.ts";
import { checkCorrelation, type CorrelationOptions } from "./correlation_options.ts";
import { checkType } from "../any/hook_options.ts";

/** Options of {@linkcode DiffusionHook}. */
export interface DiffusionHookOptions extends CorrelationOptions {
  /**
   * Range of the lag times of the linear fit, fs.
   *
   * @default from half of the longest lag to the longest
   */
  readonly fit?: readonly [from: number, to: number];
}

/** Mean squared displacement and diffusion coefficient of one system. */
export interface Diffusion {
  /** Id of the system. */
  readonly systemId: number;
  /** Lag times, fs. */
  readonly time: Float64Array;
  /** Mean squared displacement, Å². */
  readonly msd: Float64Array;
  /** Number of origins that each lag is averaged over. */
  readonly origins: Float64Array;
  /** Diffusion coefficient, a sixth of the slope of the fitted line, Å²/fs; NaN if fewer than two lags are fitted. */
  readonly diffusion: number;
}

const NAME = "DiffusionHook";

/**
 * Computes mean squared displacements and diffusion coefficients of each system during a run, like `compute msd` of
 * LAMMPS, but with many time origins.
 *
 * MSD(τ) = ⟨|r(t + τ) − r(t)|²⟩, a mean over atoms and origins t; D = slope / 6 by Einstein's relation, from a
 * least-squares fit.
 *
 * | symbol | meaning                                          | unit  |
 * | ------ | ------------------------------------------------ | ----- |
 * | r      | position, not wrapped: r + images · h            | Å     |
 * | τ      | lag: whole multiples of the time between samples | fs    |
 * | D      | diffusion coefficient                            | Å²/fs |
 *
 * Wrapping does not count as displacement if it updates `images`, as `WrapPeriodicHook` does. The motion of the center
 * of mass counts. If the lattice changes, the images of atoms move with it.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { DiffusionHook } from "@hooke/hooke/observe";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * // Nothing holds it: it goes 0.01 Å each fs.
 * const batch = Batch.from([{ symbols: ["H"], positions: [0, 0, 0], velocities: [0.01, 0, 0] }]);
 * const diffusion = new DiffusionHook({ frequency: 5, lags: 11 });
 * await using md = new NVE({ model: potential(() => 0), dt: 2, hooks: [diffusion] });
 * await md.run(batch, 200);
 * const { time, msd } = diffusion.results()[0]!;
 * assertAlmostEquals(time[10]!, 100, 1e-9);
 * assertAlmostEquals(msd[10]!, 1, 1e-6); // (v t)²
 * ```
 */
export class DiffusionHook extends ObservableHook {
  /** Number of steps between two samples. */
  readonly frequency: number;
  /** Number of steps before the first sample. */
  readonly after: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ("positions" | "images" | "cell" | "time" | "systemId" | "numbers")[];
  readonly #fit: readonly [number, number] | undefined;
  readonly #systems: CorrelatedSystems;

  /** Creates the hook. */
  constructor(options: DiffusionHookOptions = {}) {
    const checked = checkCorrelation(NAME, options, ["fit"]);
    checkType(NAME, options, "fit", "two times, the first below the second", isInterval);
    const systems = new CorrelatedSystems(NAME, checked, squaredDisplacements);
    super(systems);
    this.#systems = systems;
    this.frequency = checked.frequency;
    this.after = checked.after;
    this.#fit = options.fit;
    const seen = ["positions", "images", "cell", "time", "systemId"] as const;
    this.reads = checked.element === undefined ? seen : [...seen, "numbers"];
  }

  /** Adds a sample of each system. Called by the engine. */
  call(
    ctx: DynamicsContext<"positions" | "images" | "cell" | "time" | "systemId" | "numbers">,
  ): void {
    this.#systems.sample(ctx, (system, indices) => unwrapped(ctx.read, system, indices));
  }

  /** Returns the results so far of each system, in the order in which systems were first seen. */
  results(): Diffusion[] {
    return this.#systems.results().map(({ systemId, time, mean: msd, origins }) => {
      const longest = time.at(-1) ?? 0;
      const [from, to] = this.#fit ?? [longest / 2, longest];
      return { systemId, time, msd, origins, diffusion: slopeOf(time, msd, from, to) / 6 };
    });
  }
}

function isInterval(fit: unknown): boolean {
  if (!Array.isArray(fit) || fit.length !== 2) return false;
  const [from, to] = fit as readonly unknown[];
  return typeof from === "number" && typeof to === "number" && from >= 0 && from < to;
}

interface Positions {
  readonly positions: ArrayLike<number>;
  readonly images: ArrayLike<number>;
  readonly cell: ArrayLike<number>;
}

/** Returns the unwrapped positions r + images · h of the given atoms of a system. */
function unwrapped(
  { positions, images, cell }: Positions,
  system: number,
  indices: Int32Array,
): Float64Array {
  const all = new Float64Array(3 * indices.length), h = 9 * system;
  for (let n = 0; n < indices.length; n++) {
    const i = 3 * indices[n]!, [a, b, c] = [images[i]!, images[i + 1]!, images[i + 2]!];
    for (let k = 0; k < 3; k++) {
      all[3 * n + k] = positions[i + k]! + a * cell[h + k]! + b * cell[h + 3 + k]! +
        c * cell[h + 6 + k]!;
    }
  }
  return all;
}

function squaredDisplacements(now: Float64Array, before: Float64Array, from: number): number {
  let sum = 0;
  for (let i = 0; i < now.length; i++) {
    const moved = now[i]! - before[from + i]!;
    sum += moved * moved;
  }
  return sum;
}

/** Returns the slope of the least-squares line through the points between two times. */
function slopeOf(time: Float64Array, values: Float64Array, from: number, to: number): number {
  const slack = 1e-9 * to;
  const fitted = Array.from(time.keys()).filter((i) =>
    time[i]! >= from - slack && time[i]! <= to + slack
  );
  const mean = (of: Float64Array) => fitted.reduce((sum, i) => sum + of[i]!, 0) / fitted.length;
  // slope = Σ (t − t̄)(y − ȳ) / Σ (t − t̄)²
  const [t, y] = [mean(time), mean(values)];
  const up = fitted.reduce((sum, i) => sum + (time[i]! - t) * (values[i]! - y), 0);
  return up / fitted.reduce((sum, i) => sum + (time[i]! - t) ** 2, 0);
}
