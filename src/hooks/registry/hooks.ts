/**
 * The registry behind `engine.hooks`, with what the engine itself asks of it.
 *
 * @module
 */

import type { Workflow } from "../protocol/context.ts";
import type { HookChange } from "../protocol/control.ts";
import { listEntry, planStep } from "./describe.ts";
import type { AddOptions, Entry, Place } from "./entry.ts";
import { checkKinds } from "../protocol/kind.ts";
import { Lifespan } from "./lifespan.ts";
import { type HookListing, Plan } from "./listing.ts";
import {
  type DeviceHook,
  type DeviceWorker,
  isDeviceHook,
  type StageWork,
} from "../run/device_work.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { placesAt, sortEntries, unknownNames } from "./order.ts";
import { type HookWarning, type Outcome, printFirst } from "../protocol/outcome.ts";
import type { EnginePoint, StagePoint } from "../run/point.ts";
import { pointClass } from "../run/points.gen.ts";
import { accessor, type FieldValues, NO_STATE, type StateSource } from "../run/reads.ts";
import type { Part } from "../protocol/part.ts";
import { accessOf, makeEntry, pathOf } from "./registration.ts";
import type { HookHandle, HookSet } from "./registry.ts";
import { restoreEntries, type SavedHooks, saveEntries } from "./saved.ts";
import { show } from "../../base/show.ts";
import { type AnyStages, type StageInfo, stageInfos, type StageOf } from "../protocol/stage.ts";
import { type StageHost, StageRun } from "../run/stage_run.ts";
import { stageWork, unvisited } from "../run/stage_work.ts";
import { verifying } from "../run/verify.ts";

/** What a registry needs of its engine. */
export interface EngineHooksOptions<E extends AnyStages> {
  /** The kinds of stages the engine has. */
  readonly kinds: readonly E[];
  /** The engine's one context, which it changes in place. */
  readonly context: object;
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /**
   * How far a counter of the kinds has come, by name.
   *
   * @default the step is the only counter
   */
  readonly counts?: (counter: string) => number;
  /**
   * The state that hooks may read and write.
   *
   * @default none
   */
  readonly state?: StateSource;
  /**
   * Runs the kernels of hooks that give some.
   *
   * @default none: such a hook is refused
   */
  readonly worker?: DeviceWorker;
  /**
   * Fields of the context that are yet to come at an observe stage, such as what a device is still computing: observers
   * are called when they are there, in order, with nobody waiting. Answers with nothing where all is there.
   *
   * @default all is always there
   */
  readonly coming?: (stage: string) => PromiseLike<object | undefined> | undefined;
  /**
   * Told of every error that does not stop the run.
   *
   * @default prints the first of each hook
   */
  readonly onWarning?: (warning: HookWarning) => void;
  /**
   * Whether an error is no hook's doing, and ends the run whatever the policy of the hook that it came from.
   *
   * @default none is
   */
  isFatal?(error: unknown): boolean;
  /**
   * Whether observers are checked for changing what they look at. Slow: for tests.
   *
   * @default false
   */
  readonly verify?: boolean;
}

// Numbers engines, so that two of them alive do not share the texts of their stages.
let engines = 0;

/** When hooks last fired. */
export type HookMarks = ReadonlyMap<object, number>;

/** The hooks of one engine. Users see it as {@linkcode HookSet}; an engine also opens, closes and asks it. */
export class EngineHooks<E extends AnyStages> implements HookSet<E> {
  readonly #options: EngineHooksOptions<E>;
  readonly #state: StateSource;
  readonly #infos: ReadonlyMap<string, StageInfo>;
  readonly #points = new Map<string, EnginePoint>();
  readonly #listeners = new Set<(change: HookChange) => void>();
  readonly #lifespan: Lifespan;
  #entries: readonly Entry[] = [];
  #isTracked = false;
  /** The registries whose hooks are called with these, each for a part. */
  readonly #parts: { readonly hooks: EngineHooks<E>; readonly part: Part }[] = [];
  /** The one with which these are, and the part that they are for. */
  #whole: { readonly hooks: EngineHooks<E>; readonly part: Part } | undefined;

  /** Makes a registry without hooks. */
  constructor(options: EngineHooksOptions<E>) {
    checkKinds(options.kinds);
    this.#options = options;
    this.#state = options.state ?? NO_STATE;
    this.#infos = stageInfos(options.kinds);
    this.#lifespan = this.#makeLifespan();
    const { fields } = this.#state;
    const untouchable = (member: "reads" | "writes") =>
      accessor(`without ${member}`, member, [], fields, () => undefined);
    Object.assign(options.context, { read: untouchable("reads"), write: untouchable("writes") });
    const host = this.#makeStageHost();
    const engine = engines++;
    for (const [i, info] of [...this.#infos.values()].entries()) {
      this.#points.set(info.stage, new (pointClass(i, engine))(info, host));
    }
  }

  /** See {@linkcode HookSet.add}. */
  add(hook: object, options: AddOptions = {}): HookHandle {
    const { kinds } = this.#options;
    const [infos, others, worker] = [this.#infos, this.#entries, this.#worker];
    const entry = makeEntry(hook, options, { ...this.#engine, kinds, infos, others, worker });
    const entries = sortEntries([...this.#entries, entry]);
    // Both may throw; nothing has changed before.
    for (const info of this.#infos.values()) placesAt(entries, info);
    if (this.isOpen) {
      this.#root.#startClocks([entry]);
      this.#root.#lifespan.openLate(entry);
    }
    this.#entries = entries;
    this.#changed(entry, "add");
    return {
      name: entry.name,
      remove: () => this.#remove(entry),
      enable: () => this.#toggle(entry, true),
      disable: () => this.#toggle(entry, false),
      [Symbol.dispose]: () => this.#remove(entry),
    };
  }

  /** See {@linkcode HookControl.has}. */
  has(name: string): boolean {
    return this.#all.some((entry) => this.#nameOf(entry) === name);
  }

  /** See {@linkcode HookControl.list}. */
  list(): HookListing[] {
    return this.#all.map((entry, order) => listEntry(entry, order, this.#nameOf(entry)));
  }

  /** See {@linkcode HookControl.plan}. */
  plan(): Plan {
    return new Plan([...this.#infos.values()].map((info) => ({
      stage: info.stage,
      role: info.role,
      steps: this.#placesAt(info).map((place) => planStep(place, this.#nameOf(place.entry))),
    })));
  }

  /** See {@linkcode HookControl.enable}. */
  enable(name: string): void {
    this.#toggle(this.#find(name, "enable"), true);
  }

  /** See {@linkcode HookControl.disable}. */
  disable(name: string): void {
    this.#toggle(this.#find(name, "disable"), false);
  }

  /** See {@linkcode HookControl.remove}. */
  remove(name: string): void {
    this.#remove(this.#find(name, "remove"));
  }

  /** See {@linkcode HookControl.subscribe}. */
  subscribe(listener: (change: HookChange) => void): () => void {
    if (typeof listener !== "function") {
      throw new TypeError(
        `Cannot subscribe as the listener must be a function: current value is ${show(listener)}`,
      );
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A stage, to be kept by the engine and fired. Throws a RangeError when the engine has no such stage. */
  point(stage: StageOf<E>): StagePoint {
    const point = this.#points.get(stage);
    if (point !== undefined) return point;
    throw new RangeError(
      `Cannot fire stage ${show(stage)} as the engine has no such stage: its stages are ` +
        `${[...this.#points.keys()].join(", ")}${didYouMean(String(stage), this.#points.keys())}`,
    );
  }

  /** Are the hooks open? */
  get isOpen(): boolean {
    return this.#root.#lifespan.isOpen;
  }

  /**
   * The hooks of another engine are from now on called with these, each for its part alone; that engine may be asked to
   * add, remove and switch them as before.
   */
  join(hooks: EngineHooks<E>, part: Part): void {
    hooks.#whole = { hooks: this, part };
    this.#parts.push({ hooks, part });
    this.rejoin();
  }

  /** The hooks that were added here, and not to a part. */
  get own(): readonly object[] {
    return this.#entries.map(({ record }) => record.hook);
  }

  /** Parts have been given other names, or other engines. */
  rejoin(): void {
    const root = this.#root;
    for (const registry of root.#registries) {
      const part = registry.#whole?.part;
      for (const entry of registry.#entries) {
        entry.part = part;
        entry.path = pathOf(entry.name, part);
      }
    }
    root.replan();
  }

  /** How many steps from `step` on may be done with no visit here: no hook that counts steps is due before. */
  horizon(step: number): number {
    let due = Infinity;
    for (const point of this.#points.values()) {
      if (point.info.counter === "step") due = Math.min(due, point.next(step));
    }
    return due - step;
  }

  /** What the engine is to do at a stage by itself, before it fires it, in this order. */
  work(stage: StageOf<E>): StageWork[] {
    const { info } = this.point(stage);
    return unvisited(this.#readyPlaces(info), info).map(stageWork);
  }

  /** The hooks that are on and give kernels, visited or not. */
  devices(): DeviceHook[] {
    return (this.enabled() as DeviceHook[]).filter(isDeviceHook);
  }

  /** The part that a hook is for, where that is not the whole. */
  partOf(hook: object): Part | undefined {
    return this.#all.find(({ record }) => record.hook === hook)?.part;
  }

  /** The hooks that are on, as they were given, in order: for engines that ask something of them. */
  enabled(): object[] {
    return this.#all
      .filter((entry) => entry.enabled && this.#isReady(entry))
      .map(({ record }) => record.hook);
  }

  /**
   * The fields that hooks look at, at a stage; at any stage without one. With a count: those that may be due at it; and
   * `isNext`, where that stage is the next: without hooks whose own condition says no.
   */
  reads(stage?: StageOf<E>, count?: number, isNext: boolean = false): ReadonlySet<string> {
    const isAt = (place: Place) =>
      place.info.stage === stage &&
      (count === undefined || place.info.isEvent || place.dueFrom(count) <= count) &&
      (!isNext || count === undefined || place.info.isEvent || wants(place, count));
    const entries = this.#all.filter(({ enabled, places }) =>
      enabled && (stage === undefined || places.some(isAt))
    );
    return new Set(entries.flatMap(({ record }) => record.reads));
  }

  /** The fields that hooks change on a visit: not those whose kernels the engine runs by itself. */
  writes(): ReadonlySet<string> {
    const visited = this.#all.filter(({ enabled, places }) =>
      enabled &&
      places.some((place) =>
        !this.work(place.info.stage as StageOf<E>).some(({ hook }) =>
          hook === place.entry.record.hook
        )
      )
    );
    return new Set(visited.flatMap(({ record }) => record.writes));
  }

  /**
   * The state has moved to where it must be fetched, or back: all that hooks read and write is planned anew. What was
   * deferred before is still to come: wait for `soFar` before the state moves back, so that hooks see all in order.
   */
  replan(): void {
    const engine = { context: this.#options.context, state: this.#state };
    for (const { record, places, part } of this.#all) {
      const access = accessOf(record, { ...engine, part });
      for (const place of places) place.rebind(access);
    }
    this.#compile(this.#all);
  }

  /**
   * Hands over what has yet to come, in one row with what observers read. Answers with something to await when too much
   * is under way.
   */
  defer<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
  ): PromiseLike<void> | undefined {
    return this.#lifespan.queue.push(values, deliver);
  }

  /** From now on (or no longer) it is known of each hook when it last fired, for {@linkcode goBack}. */
  track(isTracked: boolean): void {
    if (this.#isTracked === isTracked) return;
    this.#isTracked = isTracked;
    this.#compile(this.#all);
  }

  /** When hooks that change something last fired, to go back there. */
  marks(): HookMarks {
    const places = this.#all.flatMap(({ places }) => places);
    return new Map(places.map((place) => [place, place.schedule.last]));
  }

  /** All that is under way is dropped, with what was wrong with it. */
  async drop(): Promise<void> {
    await this.#lifespan.queue.drop();
  }

  /**
   * Steps since `marks` are done again: hooks that change something do so again, those that look on are called only for
   * what they have not seen. Nothing may be under way.
   */
  goBack(marks: HookMarks): void {
    for (const { places } of this.#all) {
      for (const place of places) {
        const { schedule, info } = place;
        if (info.isEvent) continue;
        if (place.isObserver) place.seen = Math.max(place.seen, schedule.last);
        else schedule.last = Math.min(schedule.last, marks.get(place) ?? -1);
      }
    }
    this.#compile(this.#all);
  }

  /** Tells of what no hook did and nobody may miss. */
  warn(about: string, stage: string, error: unknown): void {
    this.#tellOf(about, stage, error);
  }

  /** Settled when all that was deferred so far is delivered. */
  get soFar(): Promise<void> {
    return this.#lifespan.queue.soFar;
  }

  /** All that is deferred from now on until the run ends was of steps that never were: it is dropped. */
  cut(): void {
    this.#lifespan.queue.cut();
  }

  /** Waits for all that is deferred; throws the first error of it. */
  async settle(): Promise<void> {
    await this.#lifespan.settle();
  }

  /** Opens all hooks, in order. Throws the first error, after closing those that were open. */
  async open(): Promise<void> {
    if (this.isOpen) return;
    const unknown = this.#registries.flatMap((registry) => unknownNames(registry.#entries));
    for (const { entry, error } of unknown) {
      this.#tell({ hook: entry.path, stage: "order", step: this.#step, error, count: 1 });
    }
    this.#startClocks(this.#all);
    await this.#lifespan.open();
  }

  /** Between two steps: throws what a deferred observer threw, and begins to close what was removed. */
  check(): void {
    this.#lifespan.check();
  }

  /** After the last step: waits for all that is under way, and lets hooks with `atEnd` fire. */
  async finish(): Promise<void> {
    await this.#lifespan.settle();
    for (const point of this.#points.values()) await point.fireEnd();
    await this.#lifespan.settle();
  }

  /** Closes all hooks, in reverse, when what is under way is done. Throws the first error. */
  async close(outcome: Outcome): Promise<void> {
    let ending = outcome;
    try {
      await this.#lifespan.settle();
    } catch (error) {
      if (outcome.status === "failed") {
        if (rootOf(error) !== rootOf(outcome.error)) this.#tellOf("(deferred)", "close", error);
      } else ending = { status: "failed", error };
    }
    await this.#lifespan.close(ending);
    if (ending !== outcome && ending.status === "failed") throw ending.error;
  }

  /** What a checkpoint keeps of the hooks: plain data, by name. */
  save(): SavedHooks {
    return saveEntries(this.#all);
  }

  /** See {@linkcode HookControl.flush}. */
  async flush(): Promise<void> {
    // All are asked before anything is waited for: what they have now is what is meant.
    const all = this.#root.#all.map(async ({ record: { hook } }) => await hook.flush?.());
    for (const result of await Promise.allSettled(all)) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /**
   * Gives hooks their saved state back, and switches them as they were. Names that no hook has are reported as
   * warnings. Throws a TypeError for what is no saved state.
   */
  load(saved: SavedHooks): void {
    for (const name of restoreEntries(this.#all, saved)) {
      this.#tellOf(
        name,
        "load",
        new RangeError(
          `Cannot restore hook ${name} as no hook has that name: its state is left out`,
        ),
      );
    }
    this.#startClocks(this.#all);
    for (const entry of this.#all) {
      const own = Object.hasOwn(saved, entry.path) ? saved[entry.path] : undefined;
      this.#toggle(entry, own?.enabled ?? entry.enabled);
    }
    this.#compile(this.#all);
  }

  get #root(): EngineHooks<E> {
    return this.#whole === undefined ? this : this.#whole.hooks.#root;
  }

  /** These hooks, and those of all parts. */
  get #registries(): EngineHooks<E>[] {
    return [this, ...this.#parts.flatMap(({ hooks }) => hooks.#registries)];
  }

  get #all(): readonly Entry[] {
    if (this.#parts.length === 0) return this.#entries;
    return this.#registries.flatMap((registry) => registry.#entries);
  }

  /** What a hook is called here. */
  #nameOf(entry: Entry): string {
    return this.#entries.includes(entry) ? entry.name : entry.path;
  }

  /** How hooks get at the state: that of the whole. */
  get #engine() {
    const { context } = this.#root.#options;
    return { context, state: this.#root.#state, part: this.#whole?.part };
  }

  get #worker(): DeviceWorker | undefined {
    const { worker } = this.#options;
    if (worker === undefined) return undefined;
    return {
      work: (hook, stage) => this.#root.#options.worker!.work(hook, stage, this.#whole?.part),
      changed: () => this.#root.#options.worker!.changed(),
    };
  }

  /** The places of a stage, with those of parts. */
  #placesAt({ stage }: StageInfo): Place[] {
    const own = placesAt(this.#entries, this.#infos.get(stage)!);
    if (this.#parts.length === 0) return own;
    const places = [
      ...this.#parts.filter(({ part }) => part.isFirst(stage)),
      undefined,
      ...this.#parts.filter(({ part }) => !part.isFirst(stage)),
    ].flatMap((one) => one === undefined ? own : one.hooks.#placesAt(this.#infos.get(stage)!));
    return [
      ...places.filter(({ isModifier }) => isModifier),
      ...places.filter(({ isModifier }) => !isModifier),
    ];
  }

  get #step(): number {
    return this.#options.workflow.stepCount;
  }

  #makeLifespan(): Lifespan {
    const entries = () => this.#all;
    return new Lifespan({
      workflow: this.#options.workflow,
      get entries() {
        return entries();
      },
      report: (entry, where, error) => this.#report(entry, where, error),
      settled: (entry) => this.#compile([entry]),
      changed: () => this.#compile(this.#all),
      drop: (entry) => this.#remove(entry),
    });
  }

  #makeStageHost(): StageHost {
    const { context, workflow, verify, counts = () => workflow.stepCount } = this.#options;
    const { queue } = this.#lifespan;
    const isTracked = () => this.#isTracked;
    const report = (place: Place, error: unknown) =>
      this.#report(place.entry, place.info.stage, error);
    return {
      context,
      coming: this.#options.coming,
      fields: this.#state.fields,
      get step() {
        return workflow.stepCount;
      },
      count: counts,
      failed: (place, error, step, before) => this.#failed(place, error, step, before),
      verify: verify === true ? verifying(this.#state, report) : undefined,
      defer: (values, deliver) => queue.push<FieldValues | undefined>(values, deliver),
      get soFar() {
        return queue.soFar;
      },
      get isCut() {
        return queue.isCut;
      },
      get isTracked() {
        return isTracked();
      },
    };
  }

  #find(name: string, verb: string): Entry {
    const entry = this.#all.find((entry) => this.#nameOf(entry) === name);
    if (entry !== undefined) return entry;
    const names = this.#all.map((entry) => this.#nameOf(entry));
    throw new RangeError(
      `Cannot ${verb} hook ${show(name)} as none has that name: the hooks are ` +
        `${names.join(", ") || "none"}${didYouMean(String(name), names)}`,
    );
  }

  /** The registry that has it; `undefined` where none has, any more. */
  #ownerOf(entry: Entry): EngineHooks<E> | undefined {
    return this.#root.#registries.find((registry) => registry.#entries.includes(entry));
  }

  #toggle(entry: Entry, enabled: boolean): void {
    const owner = this.#ownerOf(entry);
    if (entry.enabled === enabled || owner === undefined) return;
    entry.enabled = enabled;
    owner.#changed(entry, enabled ? "enable" : "disable");
  }

  #remove(entry: Entry): void {
    const owner = this.#ownerOf(entry);
    if (owner === undefined) return;
    owner.#entries = owner.#entries.filter((other) => other !== entry);
    owner.#changed(entry, "remove");
    this.#root.#lifespan.leave(entry);
  }

  #changed(entry: Entry, type: HookChange["type"]): void {
    this.#root.#compile([entry]);
    this.#tellListeners(entry, { type, name: entry.name, step: this.#step });
  }

  #tellListeners(entry: Entry, change: HookChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.#root.#tellOf(change.name, "listener", error);
      }
    }
    if (this.#whole === undefined) return;
    this.#whole.hooks.#tellListeners(entry, { ...change, name: entry.path });
  }

  /** Makes the stages of some entries ready again; the others stay as they are. */
  #compile(entries: readonly Entry[]): void {
    const stages = new Set(entries.flatMap(({ places }) => places.map(({ info }) => info.stage)));
    for (const stage of stages) {
      const point = this.#points.get(stage)!;
      const all = this.#readyPlaces(point.info);
      const own = new Set(unvisited(all, point.info));
      const places = all.filter((place) => !own.has(place));
      const reads = places.filter(({ isLate }) => isLate)
        .flatMap(({ entry }) => [...entry.record.reads, ...entry.part?.keys ?? []]);
      const plan = reads.length === 0 ? undefined : this.#state.plan([...new Set(reads)]);
      point.compile(places.length === 0 ? undefined : new StageRun(places, point.host, plan));
    }
    this.#options.worker?.changed();
  }

  #readyPlaces(info: StageInfo): Place[] {
    return this.#placesAt(info)
      .filter(({ entry }) => entry.enabled && this.#isReady(entry));
  }

  /** May stages reach it now? Before a run, when an engine is tried by hand, hooks need not be open. */
  #isReady(entry: Entry): boolean {
    if (this.#lifespan.isOpening) return false;
    return !this.isOpen || entry.isOpen;
  }

  /** The clocks of `everySeconds` begin with the run, with the hook in mid-run, and anew after a load. */
  #startClocks(entries: readonly Entry[]): void {
    for (const { schedule, info } of entries.flatMap(({ places }) => places)) {
      schedule.start(this.#options.counts?.(info.counter) ?? this.#step);
    }
  }

  #failed(
    place: Place,
    error: unknown,
    step: number = this.#step,
    before: number = place.before,
  ): void {
    const { entry, info, onError } = place;
    if (this.#options.isFatal?.(error) === true) {
      place.unfire(before); // the step may be done again
      throw error;
    }
    if (onError === "throw") {
      entry.errors++;
      throw error;
    }
    this.#report(entry, info.stage, error, step);
    if (onError === "disable") this.#toggle(entry, false);
  }

  #report(entry: Entry, stage: string, error: unknown, step: number = this.#step): void {
    const warning = { hook: entry.path, stage, step, error, count: ++entry.errors };
    const owner = this.#ownerOf(entry) ?? this;
    this.#tell(warning, owner.#options.onWarning);
  }

  #tellOf(hook: string, stage: string, error: unknown): void {
    this.#tell({ hook, stage, step: this.#step, error, count: 1 });
  }

  /** A warning must reach somebody, and must not stop anything: not even when who is told of it throws. */
  #tell(warning: HookWarning, own?: (warning: HookWarning) => void): void {
    const onWarning = own ?? this.#options.onWarning ?? printFirst;
    try {
      onWarning(warning);
    } catch (error) {
      printFirst(warning);
      printFirst({ ...warning, hook: "onWarning", error, count: 1 });
    }
  }
}

/** What an error came from: one that is known need not be told again. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** Does its own condition let it be called at a count? Where that throws it is for the visit to deal with. */
function wants(place: Place, count: number): boolean {
  if (place.entry.record.reads.length === 0 || place.isAskedLate) return true; // then it does not matter
  try {
    return place.isWantedAt(count);
  } catch {
    return true;
  }
}
