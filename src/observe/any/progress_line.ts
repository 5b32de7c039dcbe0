/**
 * Progress of a run as a line of text, or as plain data.
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
  /** Number of warnings of the run so far. */
  readonly warnings?: number;
  /** Time since the last step has ended, s, if that is long. */
  readonly waiting?: number | undefined;
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
  /** Mean temperature of the systems, K; `undefined` if steps take no time. */
  readonly temperature?: number | undefined;
  /** Simulated time of a step, fs; `undefined` if steps take no time. */
  readonly dt?: number | undefined;
}

/** Width of a line if nothing is known about the terminal. */
const UNLIMITED = Infinity;

/** A part of a line. Parts with a lower rank are left out first if the line is too long. */
type Part = readonly [text: string, rank: number];

/** Ranks of the parts: the step is never left out. */
const Rank = { RATE: 0, FORCE: 1, ENERGY: 2, TEMPERATURE: 3, FACT: 4, ALWAYS: 9 } as const;

/** Returns the progress of a run of dynamics as one line of at most `width` characters. */
export function progressLine(progress: Progress, width: number = UNLIMITED): string {
  const { converged, systems, stream, energy, fmax, temperature, dt, rate } = progress;
  const facts: Part[] = [];
  if (stream !== undefined) facts.push([`${stream.done}/${stream.total} done`, Rank.FACT]);
  if (converged !== undefined) facts.push([`${converged}/${systems} converged`, Rank.FACT]);
  facts.push([`energy ${energy.toFixed(6)} eV`, Rank.ENERGY]);
  facts.push([`fmax ${fmax.toPrecision(3)} eV/Å`, Rank.FORCE]);
  if (temperature !== undefined) facts.push([`${temperature.toFixed(1)} K`, Rank.TEMPERATURE]);
  const speed: Part[] = [];
  const perSecond = perSecondOf(rate);
  if (dt !== undefined && perSecond !== undefined) {
    speed.push([`${+nsPerDay(dt, perSecond).toPrecision(3)} ns/day`, Rank.FACT]);
  }
  if (stream !== undefined && rate.seconds > 0 && stream.done > 0) {
    speed.push([`${round(stream.done / rate.seconds)} structures/s`, Rank.FACT]);
  }
  const isDone = converged !== undefined && converged >= systems;
  return fitted(partsOf(progress, facts, speed, isDone), width);
}

/** Returns the progress of a run as one line: steps, `facts`, speed and, unless the run is done, the remaining time. */
export function runLine(
  progress: RunProgress,
  facts: readonly string[],
  width: number = UNLIMITED,
): string {
  const parts = facts.map((text): Part => [text, Rank.FACT]);
  return fitted(partsOf(progress, parts, [], false), width);
}

function partsOf(
  { steps, of, rate, warnings = 0, waiting }: RunProgress,
  facts: readonly Part[],
  speed: readonly Part[],
  isDone: boolean,
): readonly Part[] {
  const perSecond = perSecondOf(rate);
  const isLeft = of !== undefined && perSecond !== undefined && perSecond > 0 && steps < of;
  return [
    [
      of === undefined
        ? `step ${steps}`
        : `step ${steps}/${of} (${Math.floor(100 * steps / of)} %)`,
      Rank.ALWAYS,
    ],
    ...facts,
    ...(perSecond === undefined ? [] : [[`${round(perSecond)} steps/s`, Rank.RATE] as const]),
    ...speed,
    ...(isLeft && !isDone ? [[`${clock((of - steps) / perSecond)} left`, Rank.FACT] as const] : []),
    ...(warnings === 0
      ? []
      : [[`${warnings} warning${warnings === 1 ? "" : "s"}`, Rank.FACT] as const]),
    ...(waiting === undefined
      ? []
      : [[`computing for ${Math.round(waiting)} s`, Rank.FACT] as const]),
  ];
}

/** Joins parts, without those of the lowest ranks if the line would be longer than `width`. */
function fitted(parts: readonly Part[], width: number): string {
  let kept = parts, line = "";
  for (let rank = 0; rank <= Rank.ALWAYS; rank++) {
    line = kept.map(([text]) => text).join("  ");
    if (line.length <= width) return line;
    kept = kept.filter(([, one]) => one > rank);
  }
  return line.slice(0, Math.max(0, width));
}

/** Returns progress as plain data for a line of JSON. Values that do not exist are left out. */
export function progressData(progress: Progress | RunProgress): Readonly<Record<string, unknown>> {
  const { steps: step, of, rate, warnings = 0, waiting, ...values } = progress as Progress;
  const perSecond = perSecondOf(rate), { dt, stream, ...rest } = values;
  const isLeft = of !== undefined && perSecond !== undefined && perSecond > 0;
  return {
    type: "progress",
    step,
    of,
    seconds: rate.seconds,
    stepsPerSecond: perSecond,
    secondsLeft: isLeft ? Math.max(0, of - step) / perSecond : undefined,
    nsPerDay: dt === undefined || perSecond === undefined ? undefined : nsPerDay(dt, perSecond),
    ...rest,
    ...(stream !== undefined && { done: stream.done, total: stream.total }),
    warnings,
    waiting,
  };
}

/** Returns the number of steps per second; `undefined` if no time has passed. */
function perSecondOf({ steps, seconds }: RunProgress["rate"]): number | undefined {
  return seconds > 0 ? steps / seconds : undefined;
}

/** Returns the simulated time per day, ns, of steps of `dt` fs. */
function nsPerDay(dt: number, stepsPerSecond: number): number {
  return dt * 1e-6 * stepsPerSecond * 86_400;
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
