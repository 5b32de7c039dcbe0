/**
 * Progress of a run as a line of text.
 *
 * @module
 */

/** Progress of a run of any engine. */
export interface RunProgress {
  /** Number of steps done. */
  readonly steps: number;
  /** Number of steps of the run; `undefined` if it is not known. */
  readonly of: number | undefined;
  /** Steps done since the run began, and the time they took, s. */
  readonly rate: { readonly steps: number; readonly seconds: number };
}

/** Progress of a run of dynamics. */
export interface Progress extends RunProgress {
  /** Number of converged systems; `undefined` if nothing decides convergence. */
  readonly converged: number | undefined;
  /** Number of systems. */
  readonly systems: number;
  /** Finished systems of a stream, and the number of its systems; `undefined` without a stream. */
  readonly stream?: { readonly done: number; readonly total: number } | undefined;
  /** Potential energy of all systems, eV. */
  readonly energy: number;
  /** Largest force on an atom of the systems that move, or of all systems if all have converged, eV/Å. */
  readonly fmax: number;
}

/** Returns the progress of a run of dynamics as one line. */
export function progressLine(progress: Progress): string {
  const { converged, systems, stream, energy, fmax } = progress;
  const facts = [
    ...(stream === undefined ? [] : [`${stream.done}/${stream.total} done`]),
    ...(converged === undefined ? [] : [`${converged}/${systems} converged`]),
    `energy ${energy.toFixed(6)} eV`,
    `fmax ${fmax.toPrecision(3)} eV/Å`,
  ];
  return runLine(progress, facts, converged !== undefined && converged >= systems);
}

/** Returns the progress of a run as one line: steps, `facts`, speed and, unless the run is done, the remaining time. */
export function runLine(
  { steps, of, rate }: RunProgress,
  facts: readonly string[],
  isDone: boolean = false,
): string {
  const perSecond = rate.seconds > 0 ? rate.steps / rate.seconds : NaN;
  const parts = [
    of === undefined ? `step ${steps}` : `step ${steps}/${of} (${Math.floor(100 * steps / of)} %)`,
    ...facts,
    ...(Number.isFinite(perSecond) ? [`${round(perSecond)} steps/s`] : []),
    ...(of !== undefined && perSecond > 0 && steps < of && !isDone
      ? [`${clock((of - steps) / perSecond)} left`]
      : []),
  ];
  return parts.join("  ");
}

function round(perSecond: number): string {
  return perSecond >= 100 ? String(Math.round(perSecond)) : String(+perSecond.toPrecision(2));
}

/** Formats seconds as 0:07, 12:34 or 1:02:03. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
