/**
 * Run logs: records that make a run reproducible, written during the run.
 *
 * @module
 */

import type { Constraint } from "../../dynamics/constraints/constraint.ts";
import type { DeviceInUse } from "../../dynamics/engine/engine_device.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { runIdOf, setRunId } from "../../hooks/loop/progress.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { FinishedHook } from "../../hooks/protocol/table.ts";
import { configHash } from "../../base/config_hash.ts";
import { gitCommit } from "../../base/git_commit.ts";
import { LineWriter } from "./line_writer.ts";
import { newRunId, readOptions, type RunLogOptions } from "./run_log_options.ts";
import { readState, type RunLogState } from "./run_log_state.ts";
import { loggedOutcome, type RunMoment, type RunRecord, type RunStart } from "./run_record.ts";
import { versions } from "../versions.ts";

/** A run log. It works with engines of any kind, and logs one engine at a time. */
export interface RunLogHook extends FinishedHook<string> {
  /** Id of the run. */
  readonly id: string;
  /** Writes the record of the start. Rejects if the configuration cannot be hashed or the line cannot be written. */
  open(engine: Workflow): Promise<void>;
  /** Writes the record of the end. Rejects if a line since the start could not be written. */
  close(outcome: Outcome): Promise<void>;
  /** Returns the id and the number of segments for a checkpoint, so that a resumed run keeps its id. */
  save(): RunLogState;
  /**
   * Restores the id and the number of segments, which apply from the next start on. A log that was created with
   * another `id` ignores the state.
   */
  load(state: unknown): void;
}

/**
 * Creates a hook that logs a run as JSON Lines. The first line describes the start: run id, git commit, hash of the
 * configuration, versions, device and hooks. Each hook that is added, removed, enabled or disabled gets a line with
 * the step. The last line has the outcome. Every line lists all hooks, including disabled ones, with the number of
 * errors of each. The lines are {@linkcode RunRecord}s.
 *
 * Add the log before all other hooks, best with `{ order: "first" }`, because it only sees changes after it was
 * opened. It has no stage, so it costs nothing per step. For the same reason a disabled log still writes lines;
 * remove it to stop it. A second run with the same log is the next segment of the same run, and so is a run that
 * resumes from a checkpoint.
 *
 * If a line cannot be written, the run continues, and later lines are attempted; `close` then throws with the
 * writer's error as its `cause`. If the first line cannot be written, the run does not begin.
 *
 * @throws {TypeError} if the configuration has no canonical JSON, if both or neither of `path` and `write` are given,
 * or if `id` or `commit` is not a string
 * @throws {Error} if `path` is given in a web page, which has no file system
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { runLog } from "@hooke/hooke/runs";
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
export function runLog(options: RunLogOptions): RunLogHook {
  return new Log(options);
}

/** Returns the device of an engine; `null` if the engine has no device. */
function deviceOf(engine: Workflow): DeviceInUse | null {
  return (engine as { readonly device?: DeviceInUse }).device ?? null;
}

/** Returns a member `runtime` with the runtime of an engine's model, or no member if the device is not wasm. */
function runtimeOf(engine: Workflow, device: DeviceInUse | null): Pick<RunStart, "runtime"> {
  const { model } = engine as { readonly model?: { readonly runtime?: unknown } };
  const isOnHost = device?.device === "wasm" && typeof model?.runtime === "string";
  return isOnHost ? { runtime: model.runtime as string } : {};
}

/**
 * Returns a member `constraints` with the names of an engine's constraints, or no member if there are no constraints.
 */
function constraintsOf(engine: Workflow): Pick<RunStart, "constraints"> {
  const { constraints = [] } = engine as { readonly constraints?: readonly Constraint[] };
  return constraints.length === 0 ? {} : { constraints: constraints.map(({ name }) => name) };
}

/** State of a log from `open` to `close`. */
interface Segment {
  readonly engine: Workflow;
  readonly id: string;
  readonly number: number;
  readonly unsubscribe: () => void;
}

class Log implements RunLogHook {
  readonly name: string;
  readonly on = {};
  readonly #options: ReturnType<typeof readOptions>;
  readonly #lines: LineWriter;
  #id: string;
  #segments = 0;
  /** True if the id comes from a checkpoint, until the next run begins. */
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
        `Cannot open run log ${this.name} for ${engine.name}: the log is open for ${other.engine.name}. ` +
          `Make one log for each engine`,
      );
    }
    this.#opening = { engine };
    if (this.#options.id !== undefined || this.#isLoaded) setRunId(engine, this.#id);
    this.#isLoaded = false;
    this.#id = runIdOf(engine, this.#id);
    try {
      const facts = await this.#facts();
      // Nothing is awaited between subscribing and writing the line, so that no change is missed or written twice.
      this.#segment = this.#begin(engine);
      const moment = this.#recordBase(this.#segment);
      const device = deviceOf(engine);
      const rest = { device, ...runtimeOf(engine, device), ...constraintsOf(engine) };
      const start = { ...moment, engine: engine.name, ...facts, ...rest };
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
    this.#write({
      type: "end",
      ...this.#recordBase(segment),
      outcome: loggedOutcome(outcome),
      device,
    });
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
    // Awaited even if both values are known: a log that is added during a run is among the hooks only after this.
    const [commit, hash] = await Promise.all([
      given ?? gitCommit(),
      config === undefined ? null : configHash(config),
    ]);
    return { commit, configHash: hash, versions: versions() };
  }

  #begin(engine: Workflow): Segment {
    const unsubscribe = engine.hooks.subscribe(({ type, name }) =>
      this.#write({ type: "change", ...this.#recordBase(segment), change: type, hook: name })
    );
    const segment = { engine, id: this.#id, number: this.#segments++, unsubscribe };
    return segment;
  }

  #end(): void {
    this.#segment?.unsubscribe();
    this.#segment = undefined;
  }

  #recordBase({ engine, id, number }: Segment): RunMoment {
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
