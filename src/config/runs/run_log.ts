/**
 * What must be known of a run to do it again, written while it runs.
 *
 * @module
 */

import type { Constraint } from "../../dynamics/constraints/constraint.ts";
import type { DeviceInUse } from "../../dynamics/engine/engine_device.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { runIdOf, setRunId } from "../../hooks/loop/progress.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { Hook } from "../../hooks/protocol/table.ts";
import { configHash } from "../config_hash.ts";
import { gitCommit } from "../git_commit.ts";
import { LineWriter } from "./line_writer.ts";
import { newRunId, readOptions, type RunLogOptions } from "./run_log_options.ts";
import { readState, type RunLogState } from "./run_log_state.ts";
import { loggedOutcome, type RunMoment, type RunRecord, type RunStart } from "./run_record.ts";
import { versions } from "../versions.ts";

/** A run log, to be added to an engine of any kind; one engine at a time. */
export interface RunLog extends Hook<string> {
  /** The run's id. */
  readonly id: string;
  /** Writes the line at the start. Rejects when the config cannot be hashed or the line not be written. */
  open(engine: Workflow): Promise<void>;
  /** Writes the line at the end. Rejects when any line since the start could not be written. */
  close(outcome: Outcome): Promise<void>;
  /** Its id and segments, so that a resumed run is known as the same. */
  save(): RunLogState;
  /** Takes the id and segments back, from the next start on; a log that was given another `id` keeps its own. */
  load(state: unknown): void;
}

/**
 * Makes a hook that logs a run as JSON Lines: a line at the start (run id, git commit, hash of the config, versions,
 * device, hooks), one for every hook that is added, removed, enabled or disabled, with its step, one with the outcome at the
 * end. Every line has the whole list of hooks, disabled ones too, with the errors each has thrown. The lines are
 * {@linkcode RunRecord}s.
 *
 * Add it before all other hooks, best with `{ order: "first" }`: it sees only changes made after it was opened. It
 * visits no stage, so it costs nothing per step. For the same reason disabling it does not silence it; removing it
 * does. A second run with the same log is the next segment of the same run, and so is one that was resumed from a
 * checkpoint.
 *
 * When a line cannot be written, the run goes on and the later lines are tried; `close` then throws, with the writer's
 * error as its `cause`. The first line is an exception: without it the run does not begin.
 *
 * @throws {TypeError} for a config that has no canonical JSON, a `path` besides a `write`, neither of them, an `id` or
 * `commit` that is no text
 * @throws {Error} for a `path` where there are no files, as in a browser
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { runLog } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const config = { seed: 7, length: 3 };
 * const lines: string[] = [];
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * loop.hooks.add(runLog({ config, write: (line) => void lines.push(line) }), { order: "first" });
 * loop.hooks.add({
 *   name: "brief",
 *   stage: WalkStage.AFTER_STEP,
 *   frequency: 1,
 *   call: (ctx: BaseContext) => ctx.stepCount === 1 && ctx.workflow.hooks.disable("brief"),
 * });
 * await loop.run(config.length);
 *
 * const [start, change, end] = lines.map((line) => JSON.parse(line));
 * assertEquals(start.type, "start");
 * assertEquals([change.change, change.hook, change.step], ["disable", "brief", 1]);
 * assertEquals(end.outcome, { status: "completed" });
 * ```
 */
export function runLog(options: RunLogOptions): RunLog {
  return new Log(options);
}

/** Where an engine runs, if it says so. */
function deviceOf(engine: Workflow): DeviceInUse | null {
  return (engine as { readonly device?: DeviceInUse }).device ?? null;
}

/** The constraints of an engine, if it has some. */
function constraintsOf(engine: Workflow): Pick<RunStart, "constraints"> {
  const { constraints = [] } = engine as { readonly constraints?: readonly Constraint[] };
  return constraints.length === 0 ? {} : { constraints: constraints.map(({ name }) => name) };
}

/** From `open` to `close`. */
interface Segment {
  readonly engine: Workflow;
  readonly id: string;
  readonly number: number;
  readonly unsubscribe: () => void;
}

class Log implements RunLog {
  readonly name: string;
  readonly on = {};
  readonly #options: ReturnType<typeof readOptions>;
  readonly #lines: LineWriter;
  #id: string;
  #segments = 0;
  /** True if the id is that of a checkpoint, until the next run begins. */
  #isLoaded = false;
  #opening: { readonly engine: Workflow } | undefined;
  #segment: Segment | undefined;

  constructor(options: RunLogOptions) {
    this.#options = readOptions(options);
    this.name = this.#options.name;
    this.#id = this.#options.id ?? newRunId();
    this.#lines = new LineWriter(this.#options.write);
  }

  get id(): string {
    return this.#id;
  }

  async open(engine: Workflow): Promise<void> {
    const other = this.#opening ?? this.#segment;
    if (other !== undefined) {
      throw new Error(
        `Cannot open run log ${this.name} for ${engine.name}: it must be closed: ` +
          `it is open for ${other.engine.name}; make one for each engine`,
      );
    }
    this.#opening = { engine };
    if (this.#options.id !== undefined || this.#isLoaded) setRunId(engine, this.#id);
    this.#isLoaded = false;
    this.#id = runIdOf(engine, this.#id);
    try {
      const facts = await this.#facts();
      // From here to the line nothing is awaited, so no change is missed or told twice.
      this.#segment = this.#begin(engine);
      const moment = this.#moment(this.#segment);
      const device = deviceOf(engine);
      const start = { ...moment, engine: engine.name, ...facts, device, ...constraintsOf(engine) };
      this.#write({ type: "start", ...start });
      await this.#lines.flush();
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }

  async close(outcome: Outcome): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    const device = deviceOf(segment.engine);
    this.#write({ type: "end", ...this.#moment(segment), outcome: loggedOutcome(outcome), device });
    this.#end();
    await this.#lines.flush();
  }

  save(): RunLogState {
    return { id: this.#id, segments: this.#segments };
  }

  load(state: unknown): void {
    const { id, segments } = readState(state, this.name);
    if (this.#options.id !== undefined && this.#options.id !== id) return;
    this.#isLoaded = true;
    this.#segments = this.#id === id ? Math.max(this.#segments, segments) : segments;
    this.#id = id;
  }

  async #facts(): Promise<Pick<RunStart, "commit" | "configHash" | "versions">> {
    const { config, commit: given } = this.#options;
    // Awaited even when both are known: a log added in mid-run is not among the hooks before.
    const [commit, hash] = await Promise.all([
      given ?? gitCommit(),
      config === undefined ? null : configHash(config),
    ]);
    return { commit, configHash: hash, versions: versions() };
  }

  #begin(engine: Workflow): Segment {
    const unsubscribe = engine.hooks.subscribe(({ type, name }) =>
      this.#write({ type: "change", ...this.#moment(segment), change: type, hook: name })
    );
    const segment = { engine, id: this.#id, number: this.#segments++, unsubscribe };
    return segment;
  }

  #end(): void {
    this.#segment?.unsubscribe();
    this.#segment = undefined;
  }

  #moment({ engine, id, number }: Segment): RunMoment {
    return {
      id,
      segment: number,
      time: new Date().toISOString(),
      step: engine.stepCount,
      hooks: engine.hooks.list(),
    };
  }

  #write(record: RunRecord): void {
    this.#lines.push(`${JSON.stringify(record)}\n`);
  }
}
