import { POSITIVE, WHOLE, wholeFrom } from "../../base/check_number.ts";
import { type DynamicsContext, DynamicsStage } from "../../dynamics/stages.ts";
import type { Batch } from "../../batch/batch.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import {
  checkGiven,
  checkNumber,
  checkOptions,
  checkType,
  isFlag,
  isFunction,
} from "./hook_options.ts";
import { progressLine } from "./progress_line.ts";

/** What a {@linkcode ProgressHook} is told. */
export interface ProgressHookOptions {
  /** Takes the text: `(text) => Deno.stderr.writeSync(new TextEncoder().encode(text))`, say. */
  readonly write: (text: string) => void;
  /**
   * Whether it goes to a terminal, on which one line is painted again and again; elsewhere each is a line of its own.
   *
   * @default false
   */
  readonly isTerminal?: boolean;
  /**
   * How many steps the run is to have, from the first on: `stepCount` at its end.
   *
   * @default none: no share and no time left are shown
   */
  readonly nSteps?: number;
  /**
   * How often it says something, s.
   *
   * @default 0.1 on a terminal, 10 elsewhere
   */
  readonly everySeconds?: number;
  /**
   * How wide the terminal is: longer lines are cut.
   *
   * @default 100
   */
  readonly columns?: number;
  /**
   * Systems of this status or a later one count as converged.
   *
   * @default 1, which a `ConvergenceHook` gives unless told otherwise
   */
  readonly convergedStatus?: number;
  /**
   * The clock, in ms; only differences count.
   *
   * @default performance.now()
   */
  readonly now?: () => number;
}

const NAME = "ProgressHook";
const OPTIONS = [
  "write",
  "isTerminal",
  "nSteps",
  "everySeconds",
  "columns",
  "convergedStatus",
  "now",
];
// Back to the beginning of the line, and nothing to the right of what is written.
const [TO_BEGINNING, CLEAR_REST] = ["\r", "\x1b[K"];

/**
 * Says how a run is getting on: the step, of how many, systems of a stream that are done, systems converged, the energy of all, the largest force on an
 * atom of those that still move, steps per second and the time left. On a terminal one line is painted ten times a
 * second; elsewhere there is a plain line every ten seconds, without escape codes. The last line is that of the last
 * step.
 *
 * Between two lines no step is visited more than a few times, so that it costs next to nothing.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { ProgressHook } from "@hooke/hooke/observe";
 * import { assertMatch } from "@std/assert";
 *
 * const lines: string[] = [];
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   hooks: [
 *     ConvergenceHook.fromFmax(0.01),
 *     new ProgressHook({ write: (text) => lines.push(text), nSteps: 500 }),
 *   ],
 * });
 * await opt.run(Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]), 500);
 * // step 36/500 (7 %)  1/1 converged  energy -2.479685 eV  fmax 0.00962 eV/Å  4559 steps/s
 * assertMatch(lines.at(-1)!, /^step \d+\/500 .*1\/1 converged  energy -2\.4796/);
 * ```
 */
export class ProgressHook {
  /** When a step is done. */
  readonly stage: typeof DynamicsStage.AFTER_STEP = DynamicsStage.AFTER_STEP;
  /** At any step, if it is time. */
  readonly frequency = 1;
  /** How often, s. */
  readonly everySeconds: number;
  /** The last line is that of the last step. */
  readonly atEnd = true;
  /** What it looks at. */
  readonly reads: readonly ["energy", "fmax", "status"] = ["energy", "fmax", "status"];
  readonly #options:
    & Required<Omit<ProgressHookOptions, "nSteps" | "everySeconds">>
    & Pick<ProgressHookOptions, "nSteps">;
  #begun = { time: 0, step: 0 };
  #last: Look | undefined;

  /** Says nothing yet. */
  constructor(options: ProgressHookOptions) {
    checkProgress(options);
    const { write, isTerminal = false, nSteps, columns = 100, convergedStatus = 1 } = options;
    const { everySeconds = isTerminal ? 0.1 : 10, now = () => performance.now() } = options;
    this.everySeconds = everySeconds;
    this.#options = {
      write,
      isTerminal,
      columns,
      convergedStatus,
      now,
      ...(nSteps !== undefined && { nSteps }),
    };
  }

  /** A run begins. Called by the engine. */
  open(engine: Workflow): void {
    this.#begun = { time: this.#options.now(), step: engine.stepCount };
    this.#last = undefined;
  }

  /** Says how it is going. Called by the engine. */
  call({ stepCount, batch, read, stream }: DynamicsContext): void {
    const last = {
      stream,
      done: stream?.done,
      batch,
      steps: stepCount + 1,
      energy: Array.from(read.energy!).reduce((sum, energy) => sum + energy, 0),
      fmax: Array.from(read.fmax!),
      isDone: this.#whichAreDone(read.status!),
      seconds: (this.#options.now() - this.#begun.time) / 1000,
    };
    this.#last = last;
    this.#say(last);
  }

  /**
   * A run is over: says so if systems have converged in the very step of the last line. What comes next on a terminal
   * begins on a line of its own. Called by the engine.
   */
  async close(outcome: Outcome): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined) return;
    if (outcome.status !== "failed") {
      const isDone = this.#whichAreDone(await last.batch.fetch("status"));
      const isNews = last.stream?.done !== last.done ||
        isDone.some((done, i) => done !== last.isDone[i]);
      if (isNews) this.#say({ ...last, isDone });
    }
    if (this.#options.isTerminal) this.#options.write("\n");
  }

  #whichAreDone(status: ArrayLike<number>): boolean[] {
    return Array.from(status, (one) => one >= this.#options.convergedStatus);
  }

  #say({ steps, energy, fmax, isDone, seconds, stream }: Look): void {
    const { nSteps, isTerminal, columns, write } = this.#options;
    const converged = isDone.filter((done) => done).length;
    const moving = fmax.filter((_, i) => !isDone[i] || converged === isDone.length);
    const line = progressLine({
      steps,
      of: nSteps,
      converged,
      systems: isDone.length,
      stream,
      energy,
      fmax: moving.reduce((most, force) => force > most || Number.isNaN(force) ? force : most, 0),
      rate: { steps: steps - this.#begun.step, seconds },
    });
    write(isTerminal ? `${TO_BEGINNING}${line.slice(0, columns - 1)}${CLEAR_REST}` : `${line}\n`);
  }
}

/** What was seen in a step. */
interface Look {
  readonly batch: Batch;
  readonly stream: DynamicsContext["stream"];
  /** Systems of the stream that were done then. */
  readonly done: number | undefined;
  readonly steps: number;
  readonly energy: number;
  readonly fmax: readonly number[];
  readonly isDone: readonly boolean[];
  readonly seconds: number;
}

function checkProgress(options: ProgressHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkGiven(NAME, options, "write", "a function that takes text");
  checkType(NAME, options, "write", "a function", isFunction);
  checkType(NAME, options, "isTerminal", "true or false", isFlag);
  checkType(NAME, options, "now", "a function", isFunction);
  checkNumber(NAME, options, "nSteps", wholeFrom(1));
  checkNumber(NAME, options, "columns", wholeFrom(1));
  checkNumber(NAME, options, "convergedStatus", WHOLE);
  checkNumber(NAME, options, "everySeconds", POSITIVE);
}
