/**
 * The run of an engine in this process.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import { leaveOutOfCheckpoints } from "../../hooks/registry/saved.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { HookRow, RunCommand, RunEvent, RunInfo, ViewerFrame } from "../protocol.ts";
import { EventLog } from "./event_log.ts";
import { FolderPart, rowsBeside } from "./folder_part.ts";
import type { FolderRun } from "./folder_run.ts";
import { driftCurve, LiveCurves } from "./live_curves.ts";
import { endState } from "./run_info.ts";
import { type FRAME_FIELDS, LiveFrames } from "./live_frames.ts";
import type { ShelvedRun } from "./run_shelf.ts";
import { rowOf, ScalarRows } from "./scalar_rows.ts";
import { NOT_BEGUN, type Shown } from "./shown_state.ts";
import {
  commandText,
  frequencyOf,
  stopOf,
  type WatchedEngine,
  type WatchedFacts,
} from "./watched_engine.ts";
import {
  checkToggle,
  frameHook,
  WATCH,
  WATCH_FRAMES,
  type Watcher,
  watchHook,
} from "./watch_hooks.ts";

/** Options of {@linkcode EngineRun}. */
export interface EngineRunOptions {
  readonly facts: WatchedFacts;
  /** Time between two frames, s. @default 0.1 */
  readonly frameSeconds?: number;
  /** Time between two rows of scalars, s. Each needs the energy, which costs more than a frame. @default 0.5 */
  readonly scalarSeconds?: number;
  /** Stops the run in another way than by the engine. */
  readonly stop?: (() => void) | undefined;
  /** Aborts a pause, as Ctrl-C does. */
  readonly signal?: AbortSignal | undefined;
  /** Called after a command was carried out, with a sentence about it. */
  readonly onCommand?: (text: string) => void;
}

/** Reason of a stop, as the run log has it. */
const STOPPED = "stopped from the page";

/** Name of the scalar of the steps per second, as reporters have it. */
const SPEED = "dynamics/steps_per_s";

/** Name of the scalar of the total energy, and most points of its drift. */
const TOTAL = "energy/total", POINTS = 400;

/** Time between two summaries, ms. */
const SUMMARY = 500;

/** Shows the run of an engine while it is going on, and carries out the commands of the page between its steps. */
export class EngineRun implements ShelvedRun, Watcher {
  /** Identifies the run in addresses. */
  readonly id: string;
  readonly #options: EngineRunOptions;
  readonly #log = new EventLog();
  readonly #frames = new LiveFrames();
  readonly #curves = new LiveCurves();
  readonly #totals = new ScalarRows([TOTAL], POINTS);
  /** Scalars that the engine shows. */
  readonly #live = new Set<string>();
  readonly #warned = new Set<string>();
  #engine: WatchedEngine | undefined;
  #folder: FolderPart | undefined;
  #shown: Shown = NOT_BEGUN;
  #summarized = -Infinity;
  /** Ends the pause; undefined while the run is not paused. */
  #resume: (() => void) | undefined;

  /** Shows nothing until an engine is attached. */
  constructor(options: EngineRunOptions) {
    this.#options = options;
    this.id = options.facts.name;
    options.signal?.addEventListener("abort", () => this.#goOn(), { once: true });
  }

  /** Path of the folder; undefined if the run has none. */
  get path(): string | undefined {
    return this.#folder?.run.path;
  }

  /** Number of frames of the trajectory in the folder. */
  get length(): number {
    return this.#folder?.run.length ?? 0;
  }

  /**
   * Adds the hooks of the page to an engine. A later engine of the same run replaces the one before.
   *
   * @param isShared true if other machines do the same steps, so that no hook may be switched on this one alone
   */
  attach(engine: WatchedEngine, isShared = false): void {
    this.#engine = engine;
    this.#set({ isShared });
    const { frameSeconds = 0.1, scalarSeconds = 0.5 } = this.#options;
    const hasAtoms = [...engine.hooks.plan().stages.keys()].some((stage) =>
      stage.startsWith("dynamics/")
    );
    const frequency = hasAtoms ? frequencyOf(engine) : 1;
    const hooks = [watchHook(this, { everySeconds: scalarSeconds, frequency })];
    if (hasAtoms) hooks.push(frameHook(this, { everySeconds: frameSeconds, frequency }));
    for (const hook of hooks) {
      // They are called last, so that they see what others have changed.
      engine.hooks.add(leaveOutOfCheckpoints(hook) as never, { order: "last" });
    }
    engine.hooks.subscribe(() => this.#publishHooks());
  }

  /** Shows the logs, the trajectory and the files of the folder that the run writes to, too. */
  show(folder: FolderRun): void {
    this.#folder = new FolderPart(folder);
    if (this.#shown.isOpen) this.#folder.follow((event) => this.#ofFolder(event));
  }

  /** See {@linkcode ShelvedRun.events}. */
  async *events(signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    this.#summarize();
    yield* this.#log.events(signal);
  }

  /** Returns a summary of the run as it is now. */
  async info(): Promise<RunInfo> {
    if (this.#folder !== undefined) this.#set({ files: (await this.#folder.run.info()).files });
    return this.#info();
  }

  /** See {@linkcode ShelvedRun.live}. */
  live(_?: AbortSignal, system = 0, fields?: readonly string[]): Promise<ViewerFrame | undefined> {
    return Promise.resolve(this.#frames.of(system, fields));
  }

  /** See {@linkcode ShelvedRun.frame}. */
  async frame(index: number): Promise<ViewerFrame> {
    if (this.#folder !== undefined) return await this.#folder.run.frame(index);
    throw new RangeError("Cannot read a frame: the run has no folder");
  }

  /** See {@linkcode ShelvedRun.file}. */
  async file(path: string): Promise<Blob> {
    if (this.#folder !== undefined) return await this.#folder.run.file(path);
    throw new RangeError("Cannot read a file: the run has no folder");
  }

  /**
   * See {@linkcode ShelvedRun.command}. Resolves when the command has its effect.
   *
   * @throws {RangeError} if no hook has the name, or it is one of the page
   * @throws {Error} if the run is over, or its engine cannot be paused
   */
  async command(command: RunCommand): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || !this.#shown.isOpen) {
      throw new Error("Cannot control the run: it is not going on");
    }
    switch (command.action) {
      case "stop":
        stopOf(engine, this.#options.stop)(STOPPED);
        this.#goOn();
        break;
      case "pause":
        await this.#pause(engine);
        break;
      case "resume":
        this.#goOn();
        break;
      case "hook":
        await this.#toggle(engine, command.name, command.enabled);
    }
    const { stepCount: step } = engine;
    this.#log.publish({ type: "command", command, step });
    this.#options.onCommand?.(`${commandText(command)} from the page at step ${step}`);
  }

  /** Begins to show a run. Called by a hook. */
  opened({ stepCount: step }: Workflow): void {
    this.#set({ state: "running", isOpen: true, step, begun: step, time: performance.now() });
    this.#publishHooks();
    this.#folder?.follow((event) => this.#ofFolder(event));
    this.#summarize();
  }

  /** Ends to show a run. Called by a hook. */
  closed(outcome: Outcome): void {
    const { warnings = [] } = outcome;
    this.#set({ state: endState(outcome), isOpen: false });
    for (const message of warnings) this.warn(message);
    if (outcome.status === "failed") {
      const { error } = outcome;
      this.warn(error instanceof Error ? error.message : String(error));
    }
    this.#summarize();
  }

  /** Shows a warning, once. */
  warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#log.publish({ type: "warning", message, step: this.#shown.step });
  }

  /** Publishes scalars of a step. Called by a hook. */
  scalars(step: number, scalars: Readonly<Record<string, number>>): void {
    const time = performance.now(), last = this.#shown;
    const speed = 1000 * (step - last.step) / (time - last.time);
    this.#set({ step, time });
    const all = Object.entries(step > last.step ? { ...scalars, [SPEED]: speed } : scalars);
    // Dynamics does not converge.
    const isMd = this.#options.facts.kind === "md";
    const shown = all.filter(([name]) => !isMd || !name.endsWith("_fraction"));
    const names = shown.map(([name]) => name), row = rowOf(step, shown.map(([, value]) => value));
    for (const name of names) this.#live.add(name);
    if (names.length > 0) this.#log.publish({ type: "scalars", names, rows: [row] });
    if (scalars[TOTAL] !== undefined) this.#totals.add(rowOf(step, [scalars[TOTAL]]));
    if (time - this.#summarized > SUMMARY && this.isWatched()) this.#summarize();
  }

  /** See {@linkcode Watcher.isWatched}. */
  isWatched(): boolean {
    return this.#log.clients > 0;
  }

  /** Copies the structures of a step. Called by a hook. */
  structures(ctx: DynamicsContext<typeof FRAME_FIELDS[number]>): void {
    this.#set({ systems: ctx.batch.size });
    this.#frames.take(ctx);
    this.#publishFrames();
    if (this.#options.facts.kind !== "md") return;
    for (const curve of this.#curves.take(ctx)) this.#log.publish(curve);
  }

  /** Stops to follow the folder. */
  async close(): Promise<void> {
    await this.#folder?.close();
  }

  async #pause(engine: WatchedEngine): Promise<void> {
    if (this.#resume !== undefined) return;
    if (engine.betweenSteps === undefined) throw new Error(`Cannot pause ${engine.name}`);
    const { signal } = this.#options;
    await new Promise<void>((resolve, reject) => {
      engine.betweenSteps!(() => {
        resolve();
        if (signal?.aborted || this.#resume !== undefined) return;
        this.#set({ state: "paused" });
        this.#summarize();
        return new Promise<void>((goOn) => this.#resume = goOn);
      }).catch(reject); // the run is over
    });
  }

  #goOn(): void {
    const resume = this.#resume;
    if (resume === undefined) return;
    this.#resume = undefined;
    // The pause does not count as slow steps.
    this.#set({ state: "running", time: performance.now() });
    this.#summarize();
    resume();
  }

  async #toggle(engine: WatchedEngine, name: string, enabled: boolean): Promise<void> {
    checkToggle(engine, name, this.#shown.isShared);
    const toggle = () => enabled ? engine.hooks.enable(name) : engine.hooks.disable(name);
    // Work between steps waits while the run is paused, which is between two steps.
    if (this.#resume !== undefined || engine.betweenSteps === undefined) toggle();
    else await engine.betweenSteps(toggle);
  }

  #set(changes: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...changes };
  }

  #info(): RunInfo {
    const { state, isOpen: isControllable, step, systems, files } = this.#shown;
    return { ...this.#options.facts, id: this.id, state, step, isControllable, systems, files };
  }

  #summarize(): void {
    this.#summarized = performance.now();
    this.#log.publish({ type: "info", run: this.#info() });
    // Thermostats exchange energy, so that only without one a change is an error.
    if (this.#engine?.name !== "NVE") return;
    const drift = driftCurve(this.#totals.rows, this.#options.facts.dt);
    if (drift !== undefined) this.#log.publish(drift);
  }

  #publishHooks(): void {
    const hooks = (this.#engine?.hooks.list() ?? [])
      .filter(({ name }) => name !== WATCH && name !== WATCH_FRAMES)
      .map(({ name, stages, frequency, enabled }): HookRow => ({
        name,
        stages,
        ...(stages.length > 0 && { frequency }),
        isEnabled: enabled,
      }));
    this.#log.publish({ type: "hooks", hooks });
  }

  #publishFrames(): void {
    const { step } = this.#frames;
    const live = step === undefined ? {} : { live: step };
    this.#log.publish({ type: "frames", count: this.length, ...live });
  }

  /** Shows what the folder has and the engine lacks. */
  #ofFolder(event: RunEvent): void {
    switch (event.type) {
      case "scalars":
        for (const rows of rowsBeside(event, this.#shown.begun, this.#live)) {
          this.#log.publish(rows);
        }
        return;
      case "frames":
        return this.#publishFrames();
      case "info":
        return this.#set({ files: event.run.files });
      case "structures":
        return this.#log.publish(event);
      default:
    }
  }
}
