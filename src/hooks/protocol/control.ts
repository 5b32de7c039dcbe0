/**
 * What may be done with the hooks of an engine besides adding some.
 *
 * @module
 */

import type { HookListing, Plan } from "../registry/listing.ts";

/** Something about the registered hooks has changed. */
export interface HookChange {
  /** What was done. */
  readonly type: "add" | "remove" | "enable" | "disable";
  /** To which hook. */
  readonly name: string;
  /** In which step; it takes effect at the next stage. */
  readonly step: number;
}

/** What a hook may do with the others, through `ctx.workflow.hooks`. */
export interface HookControl {
  /** Is there a hook of this name? */
  has(name: string): boolean;
  /** All hooks, in the order of execution. */
  list(): HookListing[];
  /** Stage → hooks → matched overload; printable. */
  plan(): Plan;
  /** Lets a hook run again. Throws a RangeError for an unknown name. */
  enable(name: string): void;
  /** Keeps a hook from running, without removing it. Throws a RangeError for an unknown name. */
  disable(name: string): void;
  /** Takes a hook out. Throws a RangeError for an unknown name. */
  remove(name: string): void;
  /**
   * Has each hook make safe what it was given so far, in order: what a checkpoint says is there must be. Throws the
   * first error once all were asked.
   */
  flush(): Promise<void>;
  /** Calls the listener after each change; answers with a function that ends that. */
  subscribe(listener: (change: HookChange) => void): () => void;
}
