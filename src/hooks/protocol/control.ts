/**
 * Control of the hooks of an engine: listing, switching, removing.
 *
 * @module
 */

import type { HookListing, Plan } from "../registry/listing.ts";

/** A change of the registered hooks. */
export interface HookChange {
  /** The kind of change. */
  readonly type: "add" | "remove" | "enable" | "disable";
  /** Name of the hook. */
  readonly name: string;
  /** The step of the request; it takes effect at the next stage. */
  readonly step: number;
}

/** Control of all hooks, which each hook finds as `ctx.workflow.hooks`. */
export interface HookControl {
  /** Returns whether there is a hook of this name. */
  has(name: string): boolean;
  /** Returns all hooks, in the order of execution. */
  list(): HookListing[];
  /** Returns the hooks of each stage with their matched overloads, in printable form. */
  plan(): Plan;
  /** Enables a hook. Throws a RangeError for an unknown name. */
  enable(name: string): void;
  /** Disables a hook, without removing it. Throws a RangeError for an unknown name. */
  disable(name: string): void;
  /** Removes a hook. Throws a RangeError for an unknown name. */
  remove(name: string): void;
  /**
   * Calls `flush` of each hook in order, so that everything a checkpoint refers to is on disk. Throws the first error
   * once all hooks were called.
   */
  flush(): Promise<void>;
  /** Calls the listener after each change. Returns a function that removes it. */
  subscribe(listener: (change: HookChange) => void): () => void;
}
