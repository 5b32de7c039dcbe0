/**
 * Methods by which hooks and users list, enable, disable and remove the hooks of an engine.
 *
 * @module
 */

import type { HookListing, Plan } from "../registry/listing.ts";

/** A change of the registered hooks, as a listener receives it. */
export interface HookChange {
  /** The kind of the change. */
  readonly type: "add" | "remove" | "enable" | "disable";
  /** Name of the hook. */
  readonly name: string;
  /** Number of steps done when the change was requested. The change takes effect at the next stage. */
  readonly step: number;
}

/** Control of all hooks of an engine. Each hook finds it as `ctx.workflow.hooks`. */
export interface HookControl {
  /** Returns whether a hook with this name is registered. */
  has(name: string): boolean;
  /** Returns all hooks, in the order of execution. */
  list(): HookListing[];
  /** Returns the execution plan: the hooks of each stage with the overloads that matched. `String(plan)` is a table. */
  plan(): Plan;
  /** Enables a hook. Throws a RangeError if no hook has this name. */
  enable(name: string): void;
  /** Disables a hook without removing it. Throws a RangeError if no hook has this name. */
  disable(name: string): void;
  /** Removes a hook. Throws a RangeError if no hook has this name. */
  remove(name: string): void;
  /**
   * Calls `flush` of each hook in order, so that all data that a checkpoint refers to is on disk. All hooks are
   * flushed even if one fails; then the first error is thrown.
   */
  flush(): Promise<void>;
  /** Registers a listener that is called after each change. Returns a function that removes the listener. */
  subscribe(listener: (change: HookChange) => void): () => void;
}
