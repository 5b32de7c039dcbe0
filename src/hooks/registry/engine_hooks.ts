/**
 * The hooks of one engine: the methods of `engine.hooks` for users, and those that the engine calls.
 *
 * @module
 */

import type { HookChange } from "../protocol/control.ts";
import { checkKinds } from "../protocol/kind.ts";
import type { HookWarning, Outcome } from "../protocol/outcome.ts";
import type { Part } from "../protocol/part.ts";
import { type AnyStages, type StageInfo, stageInfos, type StageOf } from "../protocol/stage.ts";
import type { DeviceHook, DeviceWorker, StageWork } from "../run/device_work.ts";
import type { StagePoint } from "../run/point.ts";
import { NO_STATE, type StateSource, withoutFields } from "../run/reads.ts";
import type { PlacedOptions } from "./add_options.ts";
import type { EngineHooksOptions, HookMarks } from "./engine_hooks_options.ts";
import { ErrorReports } from "./error_reports.ts";
import { Lifespan } from "./lifespan.ts";
import { type HookListing, Plan } from "./listing.ts";
import { isDeviceHook } from "./record.ts";
import { makeEntry, rebind, registered } from "./registration.ts";
import type { HookHandle, HookSet } from "./hook_set.ts";
import { Roster } from "./roster.ts";
import { restoreEntries, type SavedHookStates, saveEntries, wasEnabled } from "./saved.ts";
import { type Entry, listEntry, planStep } from "./stage_handler.ts";
import { readsOf, StageTable } from "./stage_table.ts";

/**
 * The hooks of one engine. Users see it as {@linkcode HookSet}.
 *
 * {@linkcode Roster} lists the hooks, {@linkcode Lifespan} opens and closes them, {@linkcode StageTable} holds the
 * calls of each stage, and {@linkcode ErrorReports} applies error policies.
 */
export class EngineHooks<E extends AnyStages> implements HookSet<E> {
  readonly #options: EngineHooksOptions<E>;
  readonly #state: StateSource;
  readonly #infos: ReadonlyMap<string, StageInfo>;
  readonly #roster: Roster<EngineHooks<E>>;
  readonly #errors: ErrorReports;
  readonly #lifespan: Lifespan;
  readonly #table: StageTable;

  /** Creates a registry without hooks. */
  constructor(options: EngineHooksOptions<E>) {
    checkKinds((this.#options = options).kinds);
    const state = this.#state = options.state ?? NO_STATE;
    const infos = this.#infos = stageInfos(options.kinds);
    Object.assign(options.context, withoutFields(state.fields));
    const { workflow } = options;
    this.#roster = new Roster<EngineHooks<E>>(this, infos, {
      workflow,
      changed: (entry) => this.#table.compile([entry]),
      removed: (entry) => this.#lifespan.leave(entry),
      listenerFailed: (hook, error) => this.warn(hook, "listener", error),
    });
    const errors = this.#errors = new ErrorReports({
      workflow,
      onWarning: options.onWarning,
      onHookError: options.onHookError,
      onWarningOf: (entry) => (this.#roster.ownerOf(entry)?.owner ?? this).#options.onWarning,
      isFatal: (error) => options.isFatal?.(error) === true,
      isAborted: () => options.signal?.aborted === true,
      count: (counter) => options.counts?.(counter) ?? workflow.stepCount,
      disable: (entry) => this.#roster.toggle(entry, false),
    });
    this.#lifespan = new Lifespan({
      workflow,
      signal: options.signal,
      entries: () => this.#all,
      errors,
      compile: (entries) => this.#table.compile(entries),
      remove: (entry) => this.#roster.remove(entry),
    });
    const { answers, queue } = this.#lifespan;
    const readyAt = (info: StageInfo) =>
      this.#roster.handlersAt(info).filter(({ entry }) => this.#isReady(entry));
    this.#table = new StageTable({ infos, state, options, errors, answers, queue, readyAt });
  }

  /** See {@linkcode HookSet.add}. */
  add(hook: object, options: PlacedOptions = {}): HookHandle {
    const root = this.#root, roster = this.#roster;
    const entry = makeEntry(hook, options, {
      kinds: this.#options.kinds,
      infos: this.#infos,
      others: roster.own,
      names: roster.names,
      worker: this.#worker,
      context: root.#options.context,
      state: root.#state,
      part: roster.part,
    });
    const entries = registered(entry, root.#options.workflow, () => roster.with(entry));
    if (this.isOpen) {
      root.#table.startClocks([entry]);
      root.#lifespan.openLate(entry);
    }
    // Everything above may throw, so the hook is added last.
    return roster.add(entry, entries);
  }

  /** See {@linkcode HookControl.has}. */
  has(name: string): boolean {
    return this.#all.some((entry) => this.#roster.nameOf(entry) === name);
  }

  /** See {@linkcode HookControl.list}. */
  list(): HookListing[] {
    return this.#all.map((entry, order) => listEntry(entry, order, this.#roster.nameOf(entry)));
  }

  /** See {@linkcode HookControl.plan}. */
  plan(): Plan {
    return new Plan([...this.#infos.values()].map((info) => ({
      stage: info.stage,
      role: info.role,
      steps: this.#roster.handlersAt(info)
        .map((handler) => planStep(handler, this.#roster.nameOf(handler.entry))),
    })));
  }

  /** See {@linkcode HookControl.enable}. */
  enable(name: string): void {
    this.#roster.toggle(this.#roster.find(name, "enable"), true);
  }

  /** See {@linkcode HookControl.disable}. */
  disable(name: string): void {
    this.#roster.toggle(this.#roster.find(name, "disable"), false);
  }

  /** See {@linkcode HookControl.remove}. */
  remove(name: string): void {
    this.#roster.remove(this.#roster.find(name, "remove"));
  }

  /** See {@linkcode HookControl.subscribe}. */
  subscribe(listener: (change: HookChange) => void): () => void {
    return this.#roster.subscribe(listener);
  }

  /** Returns a stage that the engine can keep and fire. Throws a RangeError if the engine has no such stage. */
  point(stage: StageOf<E>): StagePoint {
    return this.#table.point(stage);
  }

  /** True if the hooks are open. */
  get isOpen(): boolean {
    return this.#root.#lifespan.isOpen;
  }

  /**
   * Joins the hooks of another engine as those of a part. This engine calls them from now on, with the systems of the
   * part only. The other engine still adds, removes, enables and disables them.
   */
  join(hooks: EngineHooks<E>, part: Part): void {
    this.#roster.join(hooks.#roster, part);
    this.rejoin();
  }

  /** The hooks that were added to this registry, by their names in checkpoints. Hooks of parts are left out. */
  get own(): ReadonlyMap<string, object> {
    return new Map(this.#roster.own.map(({ path, record }) => [path, record.hook]));
  }

  /** Updates the paths of hooks of parts, after parts were renamed or got other engines. */
  rejoin(): void {
    this.#roster.root.rename();
    this.#root.replan();
  }

  /** Returns how many steps, counted from `step`, can run before a hook that counts steps is due. */
  horizon(step: number): number {
    return this.#table.horizon(step);
  }

  /** Returns the kernels that the engine runs at a stage, before it fires the stage, without a return to JavaScript. */
  work(stage: StageOf<E>): StageWork[] {
    return this.#table.work(stage);
  }

  /** Returns the enabled hooks that provide kernels. */
  devices(): DeviceHook[] {
    return (this.enabled() as DeviceHook[]).filter(isDeviceHook);
  }

  /** Returns the part that a hook belongs to; `undefined` if it belongs to the whole engine. */
  partOf(hook: object): Part | undefined {
    return this.#all.find(({ record }) => record.hook === hook)?.part;
  }

  /** Returns the objects of the enabled hooks, in the order of execution. */
  enabled(): object[] {
    return this.#all.filter((entry) => this.#isReady(entry)).map(({ record }) => record.hook);
  }

  /**
   * Returns the fields that enabled hooks read at `stage`, by default at any stage. With `count`, leaves out hooks
   * that are not due at it, or at any count up to `last`; with `isNext`, also those whose `when` returns `false` now.
   */
  reads(stage?: StageOf<E>, count?: number, isNext = false, last?: number): ReadonlySet<string> {
    return readsOf(this.#all, { stage, count, last, isNext });
  }

  /** Returns the fields that enabled hooks change at visits. Hooks whose kernels run without a visit are left out. */
  writes(): ReadonlySet<string> {
    return this.#table.writesOf(this.#all);
  }

  /**
   * Plans all reads and writes again, after the state has moved to or from a device. Calls deferred before are still
   * pending: await `soFar` before the state moves back, so that hooks see the steps in order.
   */
  replan(): void {
    rebind(this.#all, this.#options.context, this.#state);
    this.#table.compile(this.#all);
  }

  /**
   * Calls `deliver` with values once they have arrived, in order with the fields of observers. Returns a promise to
   * await if too many deliveries are in flight.
   */
  defer<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
  ): PromiseLike<void> | undefined {
    return this.#lifespan.queue.push(values, deliver);
  }

  /** Enables or disables the recording of each firing, which {@linkcode goBack} requires. */
  track(isTracked: boolean): void {
    if (this.#table.track(isTracked)) this.#table.compile(this.#all);
  }

  /** Returns the count at which each handler last fired, as {@linkcode goBack} expects it. */
  marks(): HookMarks {
    const handlers = this.#all.flatMap(({ handlers }) => handlers);
    return new Map(handlers.map((handler) => [handler, handler.schedule.last]));
  }

  /** Drops all deliveries in flight and their errors. */
  async drop(): Promise<void> {
    await this.#lifespan.queue.drop();
  }

  /**
   * Takes the schedules back to `marks`, because the steps since then are run again. Modifiers fire again; observers
   * are called only in steps that they have not seen. No delivery may be in flight.
   */
  goBack(marks: HookMarks): void {
    for (const { handlers } of this.#all) {
      for (const handler of handlers) handler.goBack(marks.get(handler) ?? -1);
    }
    this.#table.compile(this.#all);
  }

  /** Emits a warning of the engine, or an error that is not counted as an error of a hook. */
  warn(about: string, stage: string, error: unknown, from: HookWarning["from"] = "hook"): void {
    this.#errors.warn(about, stage, error, from);
  }

  /** Promise that settles once all calls deferred so far are done. */
  get soFar(): Promise<void> {
    return this.#lifespan.queue.soFar;
  }

  /** Drops all deliveries in flight and all that are deferred until the run ends, because their steps do not count. */
  cut(): void {
    this.#lifespan.queue.cut();
  }

  /** Waits for all deferred calls. Throws the first error of one of them. */
  async settle(): Promise<void> {
    await this.#lifespan.settle();
  }

  /** Opens all hooks in order. If one fails to open, closes those already open and throws its error. */
  async open(): Promise<void> {
    if (this.isOpen) return;
    const unknown = this.#roster.unknownNames();
    for (const { entry, error } of unknown) this.warn(entry.path, "order", error);
    this.#table.startClocks(this.#all);
    await this.#lifespan.open();
  }

  /** Called between two steps: throws the error of a deferred call, and begins to close removed hooks. */
  check(): void {
    this.#lifespan.check();
  }

  /** Called after the last step: waits for all deferred calls, then calls the hooks with `atEnd`. */
  async finish(): Promise<void> {
    await this.#lifespan.settle();
    await this.#table.fireEnd();
    await this.#lifespan.settle();
  }

  /** Waits for all deferred calls, then closes all hooks in reverse order. Throws the first error. */
  async close(outcome: Outcome): Promise<void> {
    await this.#lifespan.close(outcome);
  }

  /** Returns the state of the hooks by name, as plain data for a checkpoint. */
  save(): SavedHookStates {
    return saveEntries(this.#all);
  }

  /** See {@linkcode HookControl.flush}. */
  async flush(): Promise<void> {
    // `flush` of all hooks is called before any is awaited, so that all flush the state of the same step.
    const all = this.#root.#all.map(async ({ record: { hook } }) => await hook.flush?.());
    for (const result of await Promise.allSettled(all)) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /** Restores a result of `save`, and warns about saved names that no hook has. Throws a TypeError for other values. */
  load(saved: SavedHookStates): void {
    for (const { name, error } of restoreEntries(this.#all, saved)) {
      this.warn(name, "load", error, "engine");
    }
    this.#table.startClocks(this.#all);
    for (const entry of this.#all) this.#roster.toggle(entry, wasEnabled(saved, entry));
    this.#table.compile(this.#all);
  }

  get #root(): EngineHooks<E> {
    return this.#roster.root.owner;
  }

  get #all(): readonly Entry[] {
    return this.#roster.all;
  }

  /** Runs the kernels of hooks that are added to this registry; if it belongs to a part, on that part only. */
  get #worker(): DeviceWorker | undefined {
    if (this.#options.worker === undefined) return undefined;
    const worker = () => this.#root.#options.worker!;
    return {
      work: (hook, stage) => worker().work(hook, stage, this.#roster.part),
      changed: () => worker().changed(),
    };
  }

  /** Returns whether stages may call the hook now. In an engine used step by step, hooks need not be open. */
  #isReady(entry: Entry): boolean {
    if (!entry.enabled || this.#lifespan.isOpening) return false;
    return !this.isOpen || entry.isOpen;
  }
}
