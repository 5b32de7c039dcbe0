/**
 * The scalars of a run on a terminal.
 *
 * @module
 */

import { checkGiven, checkOptions, checkType, isFlag, isFunction } from "../any/hook_options.ts";
import { clock } from "../any/progress_line.ts";
import type { ReporterTimes, ScalarReporter } from "./scalar_reporter.ts";
import { type NamedScalars, type ScalarSnapshot, stepsDone } from "./scalar_snapshot.ts";

/** What a reporter for a terminal can be told. */
export interface ConsoleReporterOptions extends ReporterTimes {
  /** Takes text: `(text) => Deno.stderr.writeSync(new TextEncoder().encode(text))`. */
  readonly write: (text: string) => void;
  /**
   * Whether the text goes to a terminal: then one line is painted again and again.
   *
   * @default false
   */
  readonly isTerminal?: boolean;
  /**
   * How wide that is.
   *
   * @default 100
   */
  readonly columns?: number;
  /**
   * The scalars to show, in order; those that a run does not have are left out.
   *
   * @default losses, the first learning rate, energy, fmax, temperature, the part that has converged
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
// To the beginning of the line; and clear what is left of it.
const [TO_BEGINNING, CLEAR_REST] = ["\r", "\x1b[K"];

/**
 * Says how a run is getting on, in one line: on a terminal it is painted ten times a second, elsewhere there is a line
 * every ten seconds, without escape codes.
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
  checkGiven(NAME, options, "write", "a function that takes text");
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
      if (isTerminal && hasPainted) write("\n"); // what comes next begins on a line of its own
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

/** Times are told under the name of what runs. */
function timeOf(scalars: NamedScalars, name: string): number | undefined {
  const found = Object.keys(scalars).find((key) => key.endsWith(`/${name}`));
  return found === undefined ? undefined : scalars[found];
}
