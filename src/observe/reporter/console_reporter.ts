/**
 * Reports of the scalars of a run on a terminal.
 *
 * @module
 */

import { checkOptions, checkRequired, checkType, isFlag, isFunction } from "../any/hook_options.ts";
import { clock } from "../any/progress_line.ts";
import type { ReporterTimes, ScalarReporter } from "./scalar_reporter.ts";
import { type NamedScalars, type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** Options of {@linkcode consoleReporter}. */
export interface ConsoleReporterOptions extends ReporterTimes {
  /** Function that takes the text, such as `(text) => Deno.stderr.writeSync(new TextEncoder().encode(text))`. */
  readonly write: (text: string) => void;
  /**
   * Writes to a terminal, which is repainted on one line.
   *
   * @default false
   */
  readonly isTerminal?: boolean;
  /**
   * Width of the terminal in characters.
   *
   * @default 100
   */
  readonly columns?: number;
  /**
   * Names of the scalars to show, in order. Scalars that a run does not have are left out.
   *
   * @default losses, the first learning rate, energy, fmax, temperature, the fraction of converged systems
   */
  readonly show?: readonly string[];
}

const NAME = "console reporter";
const OPTIONS = ["write", "isTerminal", "columns", "show", "every", "everySeconds"];
const SHOWN: readonly string[] = [
  "loss/total",
  "train/loss",
  "val/loss",
  "optimizer/0/group_0/lr",
  "energy",
  "fmax",
  "fmax/max",
  "temperature",
  "converged_fraction",
];
// Moves to the beginning of the line, and erases the rest of the line.
const [TO_BEGINNING, CLEAR_REST] = ["\r", "\x1b[K"];

/**
 * Reports the scalars of a run in one line. On a terminal it is repainted ten times a second. Otherwise a line
 * without escape codes is written every ten seconds.
 *
 * @throws {TypeError} that names the option that is wrong
 *
 * @example
 * ```ts
 * import { consoleReporter } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * const reporter = consoleReporter({ write: (text) => lines.push(text), show: ["fmax"] });
 * const at = { time: 1e9, stage: "dynamics/AFTER_STEP", engine: "FIRE" };
 * reporter.report({ step: 4, ...at, scalars: { fmax: 0.5, "dynamics/steps_per_s": 120 } });
 * assertEquals(lines, ["step 5  fmax 0.5  120 steps/s\n"]);
 * ```
 */
export function consoleReporter(options: ConsoleReporterOptions): ScalarReporter {
  checkOptions(NAME, options, OPTIONS);
  checkRequired(NAME, options, "write", "a function that takes text");
  checkType(NAME, options, "write", "a function", isFunction);
  checkType(NAME, options, "isTerminal", "true or false", isFlag);
  const { write, isTerminal = false, columns = 100, show = SHOWN, every = 1 } = options;
  const { everySeconds = isTerminal ? 0.1 : 10 } = options;
  let hasPainted = false;
  return {
    name: "console",
    every,
    everySeconds,
    report(snapshot) {
      const line = lineOf(snapshot, show);
      hasPainted = true;
      write(isTerminal ? `${TO_BEGINNING}${line.slice(0, columns - 1)}${CLEAR_REST}` : `${line}\n`);
    },
    close() {
      if (isTerminal && hasPainted) write("\n"); // later output begins on a new line
      hasPainted = false;
    },
  };
}

function lineOf(snapshot: ScalarSnapshot, show: readonly string[]): string {
  const { scalars } = snapshot;
  const of = timeOf(scalars, "target_steps"), fraction = timeOf(scalars, "progress_fraction");
  const perSecond = timeOf(scalars, "steps_per_s"), eta = timeOf(scalars, "eta_s");
  return [
    `step ${stepsDone(snapshot)}${of === undefined ? "" : `/${of}`}`,
    ...(fraction === undefined ? [] : [`(${Math.floor(100 * fraction)} %)`]),
    ...show.flatMap((name) => {
      const value = scalars[name];
      return value === undefined ? [] : [` ${name} ${+value.toPrecision(6)}`];
    }),
    ...(perSecond === undefined ? [] : [` ${+perSecond.toPrecision(3)} steps/s`]),
    ...(eta === undefined || eta === 0 ? [] : [` ${clock(eta)} left`]),
  ].join(" ");
}

/** Finds a scalar of speed or progress, whose name begins with the kind of the engine. */
function timeOf(scalars: NamedScalars, name: string): number | undefined {
  const found = Object.keys(scalars).find((key) => key.endsWith(`/${name}`));
  return found === undefined ? undefined : scalars[found];
}
