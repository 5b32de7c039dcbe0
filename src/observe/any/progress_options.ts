/**
 * Options of `ProgressHook`, and their checks.
 *
 * @module
 */

import { POSITIVE, WHOLE, wholeFrom } from "../../base/check_number.ts";
import { errorTerminal, writeText } from "../../platform/program.ts";
import { isServer } from "../../platform/process.ts";
import {
  checkNumber,
  checkOptions,
  checkType,
  isFlag,
  isFunction,
  isOneOf,
} from "./hook_options.ts";
import { printLine } from "./print_line.ts";

/** Options of {@linkcode ProgressHook}. */
export interface ProgressHookOptions {
  /**
   * Function that takes the text.
   *
   * @default writes to the standard error; in a web page, to the console
   */
  readonly write?: (text: string) => void;
  /**
   * Repaints one line, as a terminal allows. If false, each report is written as a separate line.
   *
   * @default false if `write` is given, otherwise whether the standard error is a terminal
   */
  readonly isTerminal?: boolean;
  /**
   * Form of a report: a line of text, or a line of JSON with the members `type` ("progress"), `step`, `of`,
   * `seconds`, `stepsPerSecond`, `secondsLeft` and, for atoms, `energy` (eV), `fmax` (eV/Å), `temperature` (K),
   * `nsPerDay`, `converged` and `systems`. With `"json"`, `isTerminal` has no effect.
   *
   * @default "text"
   */
  readonly format?: "text" | "json";
  /**
   * Number of steps at which the work is done, counted from the first step of the engine. It includes the steps of
   * earlier runs, and the steps before a checkpoint from which the run continues.
   *
   * @default undefined: percentage and remaining time are not shown
   */
  readonly nSteps?: number;
  /**
   * Interval between two reports, s.
   *
   * @default 0.1 on a terminal, 10 otherwise
   */
  readonly everySeconds?: number;
  /**
   * Width of the terminal in characters. If a line is longer, its less important parts are left out.
   *
   * @default the width of the terminal if it is known, otherwise 100
   */
  readonly columns?: number;
  /**
   * Lowest status of a converged system.
   *
   * @default 1, the status that `ConvergenceHook` gives by default
   */
  readonly convergedStatus?: number;
  /**
   * Returns the current time in ms. Only differences between times are used.
   *
   * @default performance.now()
   */
  readonly now?: () => number;
}

/** Options with defaults applied. */
export type ReadProgressOptions =
  & Required<Omit<ProgressHookOptions, "nSteps">>
  & { readonly nSteps: number | undefined };

const NAME = "ProgressHook";
const OPTIONS = [
  "write",
  "isTerminal",
  "format",
  "nSteps",
  "everySeconds",
  "columns",
  "convergedStatus",
  "now",
];

/** Checks the options, and applies defaults. */
export function readProgress(options: ProgressHookOptions): ReadProgressOptions {
  checkProgress(options);
  const own = options.write === undefined ? standardError() : { isTerminal: false };
  const { format = "text", nSteps, convergedStatus = 1, now = () => performance.now() } = options;
  const { isTerminal = format === "text" && own.isTerminal, columns = own.columns ?? 100 } =
    options;
  const { write = own.write!, everySeconds = isTerminal ? 0.1 : 10 } = options;
  const isPainted = isTerminal && format === "text";
  return {
    write,
    isTerminal: isPainted,
    format,
    nSteps,
    everySeconds,
    columns,
    convergedStatus,
    now,
  };
}

interface Output {
  readonly isTerminal: boolean;
  readonly columns?: number;
  readonly write?: (text: string) => void;
}

/** Returns the standard error of the process. In a web page, lines are printed to the console. */
function standardError(): Output {
  if (!isServer()) return { isTerminal: false, write: (text) => printLine(text.trimEnd()) };
  return { write: (text) => void writeText(2, text), ...errorTerminal() };
}

function checkProgress(options: ProgressHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkType(NAME, options, "write", "a function", isFunction);
  checkType(NAME, options, "isTerminal", "true or false", isFlag);
  checkType(NAME, options, "format", '"text" or "json"', isOneOf("text", "json"));
  checkType(NAME, options, "now", "a function", isFunction);
  checkNumber(NAME, options, "nSteps", wholeFrom(1));
  checkNumber(NAME, options, "columns", wholeFrom(1));
  checkNumber(NAME, options, "convergedStatus", WHOLE);
  checkNumber(NAME, options, "everySeconds", POSITIVE);
}
