/**
 * The registered hooks of an engine, with those of the engines that are parts of it.
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

/** Functions that a roster calls at the root of the tree when a hook has changed. */
export interface RosterCalls {
  /** The engine, as hooks see it. */
  readonly workflow: Workflow;
  /** Recompiles the stages of the hook. */
  changed(entry: Entry): void;
  /** Closes the hook, as it was removed. */
  removed(entry: Entry): void;
  /** Reports that a listener has thrown. */
  listenerFailed(hook: string, error: unknown): void;
}

/** A roster, and the part that connects it with the other one. */
interface Joined<R> {
  readonly roster: Roster<R>;
  readonly part: Part;
}

/**
 * The hooks of one registry. Registries form a tree: the hooks of a part are called by the engine at the root, and are
 * known there by their path, `part/name`.
 */
export class Roster<R> {
  /** The registry that the hooks were added to. */
  readonly owner: R;
  /** The names of the hooks that were added here. */
  readonly names: HookNames = new HookNames();
  readonly #infos: ReadonlyMap<string, StageInfo>;
  readonly #calls: RosterCalls;
  readonly #listeners = new Set<(change: HookChange) => void>();
  readonly #parts: Joined<R>[] = [];
  #own: readonly Entry[] = [];
  /** The handlers of the own hooks at each stage, as far as they were asked for since the hooks last changed. */
  readonly #handlers = new Map<StageInfo, readonly StageHandler[]>();
  #whole: Joined<R> | undefined;

  /** Makes a roster without hooks. */
  constructor(owner: R, infos: ReadonlyMap<string, StageInfo>, calls: RosterCalls) {
    this.owner = owner;
    this.#infos = infos;
    this.#calls = calls;
  }

  /** The hooks that were added here, in order. */
  get own(): readonly Entry[] {
    return this.#own;
  }

  /** The part that these hooks belong to, if that is not the whole. */
  get part(): Part | undefined {
    return this.#whole?.part;
  }

  /** The roster whose engine calls these hooks. */
  get root(): Roster<R> {
    return this.#whole === undefined ? this : this.#whole.roster.root;
  }

  /** The hooks of this roster and those of all parts, in order. */
  get all(): readonly Entry[] {
    if (this.#parts.length === 0) return this.#own;
    return this.#rosters.flatMap((roster) => roster.#own);
  }

  get #rosters(): Roster<R>[] {
    return [this, ...this.#parts.flatMap(({ roster }) => roster.#rosters)];
  }

  /** Returns an error for each name in `before` and `after` that no hook of the same registry has. */
  unknownNames(): { readonly entry: Entry; readonly error: RangeError }[] {
    return this.#rosters.flatMap((roster) => unknownNames(roster.#own));
  }

  /** Joins the hooks of a part; the root calls them from now on. */
  join(roster: Roster<R>, part: Part): void {
    roster.#whole = { roster: this, part };
    this.#parts.push({ roster, part });
  }

  /** Updates the parts and paths of all hooks, after parts were joined or renamed. */
  rename(): void {
    for (const roster of this.#rosters) {
      for (const entry of roster.#own) {
        entry.part = roster.part;
        entry.path = pathOf(entry.name, roster.part);
      }
    }
  }

  /** Returns the roster of the tree that has the hook; `undefined` once it was removed. */
  ownerOf(entry: Entry): Roster<R> | undefined {
    return this.root.#rosters.find((roster) => roster.#own.includes(entry));
  }

  /** Returns the name of a hook in this registry: its path if it belongs to a part. */
  nameOf(entry: Entry): string {
    return this.#own.includes(entry) ? entry.name : entry.path;
  }

  /**
   * Returns the hook of a name.
   *
   * @throws {RangeError} if no hook has that name
   */
  find(name: string, verb: string): Entry {
    const entry = this.all.find((entry) => this.nameOf(entry) === name);
    if (entry !== undefined) return entry;
    const names = this.all.map((entry) => this.nameOf(entry));
    throw new RangeError(
      `Cannot ${verb} hook ${show(name)}: no hook has that name. The hooks are ` +
        `${names.join(", ") || "none"}${didYouMean(String(name), names)}`,
    );
  }

  /** Returns the handlers of a stage in the order in which they are called: modifiers first, those of parts included. */
  handlersAt({ stage }: StageInfo): readonly StageHandler[] {
    const info = this.#infos.get(stage)!; // each registry of the tree has an info of its own
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
   * Returns the hooks with one more, in order.
   *
   * @throws {RangeError} if the order that the hooks ask for is impossible
   */
  with(entry: Entry): readonly Entry[] {
    const entries = sortEntries([...this.#own, entry]);
    checkOrder(entries, this.#infos.values());
    return entries;
  }

  /** Takes the hooks that `with` returned. */
  add(entry: Entry, entries: readonly Entry[]): HookHandle {
    const isLast = entries.at(-1) === entry;
    this.#own = entries;
    this.names.add(entry.name);
    // Appending keeps the registration of many hooks from going through all handlers for each of them.
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

  /** Removes a hook of this roster or of a part, if it is still there. */
  remove(entry: Entry): void {
    const owner = this.ownerOf(entry);
    if (owner === undefined) return;
    owner.#own = owner.#own.filter((other) => other !== entry);
    owner.#handlers.clear();
    owner.names.delete(entry.name);
    owner.#report(entry, "remove");
    this.root.#calls.removed(entry);
  }

  /** Enables or disables a hook of this roster or of a part, if it is still there. */
  toggle(entry: Entry, enabled: boolean): void {
    const owner = this.ownerOf(entry);
    if (entry.enabled === enabled || owner === undefined) return;
    entry.enabled = enabled;
    owner.#report(entry, enabled ? "enable" : "disable");
  }

  /** Adds a listener. Returns a function that removes it. */
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

  /** Calls the listeners here, then those of the whole. */
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
