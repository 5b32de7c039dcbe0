/**
 * How a run is getting on, in words.
 *
 * @module
 */

/** What is known of a run. */
export interface Progress {
  /** Steps done. */
  readonly steps: number;
  /** How many there are to be; `undefined` when nobody knows. */
  readonly of: number | undefined;
  /** Systems that have converged. */
  readonly converged: number;
  /** How many systems there are. */
  readonly systems: number;
  /** Systems of a stream that are done, and of how many; `undefined` where there is none. */
  readonly stream?: { readonly done: number; readonly total: number } | undefined;
  /** Potential energy of all systems, eV. */
  readonly energy: number;
  /** Largest force on any atom of a system that moves, or of all when none does, eV/Å. */
  readonly fmax: number;
  /** Steps that were done, and the time that took, s. */
  readonly rate: { readonly steps: number; readonly seconds: number };
}

/** One line that says it. */
export function progressLine(
  { steps, of, converged, systems, stream, energy, fmax, rate }: Progress,
): string {
  const perSecond = rate.seconds > 0 ? rate.steps / rate.seconds : NaN;
  const parts = [
    of === undefined ? `step ${steps}` : `step ${steps}/${of} (${Math.floor(100 * steps / of)} %)`,
    ...(stream === undefined ? [] : [`${stream.done}/${stream.total} done`]),
    `${converged}/${systems} converged`,
    `energy ${energy.toFixed(6)} eV`,
    `fmax ${fmax.toPrecision(3)} eV/Å`,
    ...(Number.isFinite(perSecond) ? [`${round(perSecond)} steps/s`] : []),
    ...(of !== undefined && perSecond > 0 && steps < of && converged < systems
      ? [`${clock((of - steps) / perSecond)} left`]
      : []),
  ];
  return parts.join("  ");
}

function round(perSecond: number): string {
  return perSecond >= 100 ? String(Math.round(perSecond)) : String(+perSecond.toPrecision(2));
}

/** 0:07, 12:34, 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
