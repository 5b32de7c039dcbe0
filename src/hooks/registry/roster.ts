/**
 * The registered hooks of an engine and of the engines that are parts of it.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { show } from "../../base/show.ts";
import type { Workflow } from "../protocol/context.ts";
import type { HookChange } from "../protocol/control.ts";
import type { Part } from "../protocol/part.ts";
import type { StageInfo } from "../protocol/stage.ts";
import { checkOrder, handlersAt, HookNames, sortEntries, unknownNames } from "./order.ts";
import { pathOf } from "./registration.ts";
import type { HookHandle } from "./hook_set.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** Functions that the roster at the root of a tree calls when a hook has changed. */
export interface RosterCalls {
  /** The engine that hooks find as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** Recompiles the stages of a hook that was added, removed, enabled or disabled. */
  changed(entry: Entry): void;
  /** Closes a hook after its removal. */
  removed(entry: Entry): void;
  /** Reports an error that a listener has thrown. `hook` is the name of the changed hook. */
  listenerFailed(hook: string, error: unknown): void;
}

/** A neighbor of a roster in the tree. `part` is the part that the lower roster of the two belongs to. */
interface Joined<R> {
  readonly roster: Roster<R>;
  readonly part: Part;
}

/**
 * The hooks of one registry. Rosters form a tree: the engine at the root also calls the hooks of its parts, and knows
 * them by their path, `part/name`.
 */
export class Roster<R> {
  /** The registry of this roster. */
  readonly owner: R;
  /** The names of the hooks that were added to this roster. */
  readonly names: HookNames = new HookNames();
  readonly #infos: ReadonlyMap<string, StageInfo>;
  readonly #calls: RosterCalls;
  readonly #listeners = new Set<(change: HookChange) => void>();
  readonly #parts: Joined<R>[] = [];
  #own: readonly Entry[] = [];
  /** Cache of this roster's handlers by stage. It is cleared when hooks are removed or inserted. */
  readonly #handlers = new Map<StageInfo, readonly StageHandler[]>();
  #whole: Joined<R> | undefined;

  /** Creates a roster without hooks. */
  constructor(owner: R, infos: ReadonlyMap<string, StageInfo>, calls: RosterCalls) {
    this.owner = owner;
    this.#infos = infos;
    this.#calls = calls;
  }

  /** The hooks that were added to this roster, in the order of execution. */
  get own(): readonly Entry[] {
    return this.#own;
  }

  /** The part that this roster belongs to; `undefined` at the root. */
  get part(): Part | undefined {
    return this.#whole?.part;
  }

  /** The root of the tree. Its engine calls the hooks of all rosters. */
  get root(): Roster<R> {
    return this.#whole === undefined ? this : this.#whole.roster.root;
  }

  /** The hooks of this roster, followed by those of all its parts. */
  get all(): readonly Entry[] {
    if (this.#parts.length === 0) return this.#own;
    return this.#rosters.flatMap((roster) => roster.#own);
  }

  get #rosters(): Roster<R>[] {
    return [this, ...this.#parts.flatMap(({ roster }) => roster.#rosters)];
  }

  /** Returns an error for each name in `before` and `after` that no hook of the same roster has. */
  unknownNames(): { readonly entry: Entry; readonly error: RangeError }[] {
    return this.#rosters.flatMap((roster) => unknownNames(roster.#own));
  }

  /** Adds the roster of a part to the tree. The engine at the root calls its hooks from now on. */
  join(roster: Roster<R>, part: Part): void {
    roster.#whole = { roster: this, part };
    this.#parts.push({ roster, part });
  }

  /** Updates the part and the path of each hook, after parts were joined or renamed. */
  rename(): void {
    for (const roster of this.#rosters) {
      for (const entry of roster.#own) {
        entry.part = roster.part;
        entry.path = pathOf(entry.name, roster.part);
      }
    }
  }

  /** Returns the roster in the tree that contains the hook; `undefined` if the hook was removed. */
  ownerOf(entry: Entry): Roster<R> | undefined {
    return this.root.#rosters.find((roster) => roster.#own.includes(entry));
  }

  /** Returns the name by which this roster knows a hook: its path if it was added to a part. */
  nameOf(entry: Entry): string {
    return this.#own.includes(entry) ? entry.name : entry.path;
  }

  /**
   * Returns the hook with a name. `verb` is the failed action in the message.
   *
   * @throws {RangeError} if no hook has that name
   */
  find(name: string, verb: string): Entry {
    const entry = this.all.find((entry) => this.nameOf(entry) === name);
    if (entry !== undefined) return entry;
    const names = this.all.map((entry) => this.nameOf(entry));
    throw new RangeError(
      `Cannot ${verb} hook ${show(name)}: no hook has that name. ${
        names.length === 0 ? "The engine has no hooks" : `The hooks are ${names.join(", ")}`
      }${didYouMean(String(name), names)}`,
    );
  }

  /** Returns the handlers of a stage in the order of execution, including those of parts. Modifiers come first. */
  handlersAt({ stage }: StageInfo): readonly StageHandler[] {
    const info = this.#infos.get(stage)!; // each registry in the tree has its own `StageInfo` objects
    const own = this.#handlers.get(info) ?? handlersAt(this.#own, info);
    this.#handlers.set(info, own);
    if (this.#parts.length === 0) return own;
    const of = (isFirst: boolean) =>
      this.#parts.filter(({ part }) => part.isFirst(stage) === isFirst)
        .flatMap(({ roster }) => roster.handlersAt(info));
    const handlers = [...of(true), ...own, ...of(false)];
    return [
      ...handlers.filter(({ isModifier }) => isModifier),
      ...handlers.filter(({ isModifier }) => !isModifier),
    ];
  }

  /**
   * Returns the hooks of this roster with one more, in the order of execution. The roster itself is not changed.
   *
   * @throws {RangeError} if `before` and `after` of the hooks cannot all be satisfied
   */
  with(entry: Entry): readonly Entry[] {
    const entries = sortEntries([...this.#own, entry]);
    checkOrder(entries, this.#infos.values());
    return entries;
  }

  /** Adds the hook `entry`. `entries` is the list that `with` returned for it. */
  add(entry: Entry, entries: readonly Entry[]): HookHandle {
    const isLast = entries.at(-1) === entry;
    this.#own = entries;
    this.names.add(entry.name);
    // Appending to the cache keeps the registration of many hooks linear: no list is built again for each of them.
    if (isLast) this.#append(entry);
    else this.#handlers.clear();
    this.#report(entry, "add");
    const remove = () => this.remove(entry);
    return {
      name: entry.name,
      remove,
      enable: () => this.toggle(entry, true),
      disable: () => this.toggle(entry, false),
      [Symbol.dispose]: remove,
    };
  }

  /** Removes a hook of this roster or of a part. Does nothing if it was already removed. */
  remove(entry: Entry): void {
    const owner = this.ownerOf(entry);
    if (owner === undefined) return;
    owner.#own = owner.#own.filter((other) => other !== entry);
    owner.#handlers.clear();
    owner.names.delete(entry.name);
    owner.#report(entry, "remove");
    this.root.#calls.removed(entry);
  }

  /** Enables or disables a hook of this roster or of a part. Does nothing if it was already removed. */
  toggle(entry: Entry, enabled: boolean): void {
    const owner = this.ownerOf(entry);
    if (entry.enabled === enabled || owner === undefined) return;
    entry.enabled = enabled;
    owner.#report(entry, enabled ? "enable" : "disable");
  }

  /** Adds a listener for changes of hooks. Returns a function that removes it. */
  subscribe(listener: (change: HookChange) => void): () => void {
    if (typeof listener !== "function") {
      throw new TypeError(
        `Cannot subscribe: the listener must be a function; got ${show(listener)}`,
      );
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #append(entry: Entry): void {
    for (const handler of entry.handlers) {
      const known = this.#handlers.get(handler.info);
      if (known === undefined) continue;
      if (handler.isModifier) this.#handlers.delete(handler.info);
      else this.#handlers.set(handler.info, [...known, handler]);
    }
  }

  #report(entry: Entry, type: HookChange["type"]): void {
    this.root.#calls.changed(entry);
    this.#callListeners(entry, { type, name: entry.name, step: this.#calls.workflow.stepCount });
  }

  /** Calls the listeners of this roster, then those of the rosters above it in the tree. */
  #callListeners(entry: Entry, change: HookChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.root.#calls.listenerFailed(change.name, error);
      }
    }
    if (this.#whole === undefined) return;
    this.#whole.roster.#callListeners(entry, { ...change, name: entry.path });
  }
}
