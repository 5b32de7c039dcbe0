/**
 * Which handler a combination of arguments was given: a tree of maps over what the arguments are known by.
 *
 * @module
 */

import type { Handler } from "./rows.ts";

/** What an argument is remembered by: its class, or for primitives that some row names, itself. */
export type Key = unknown;

// A tree of more nodes is a sign of ever new strings; it is then emptied and begins anew.
const MOST_NODES = 1024;

/** Handlers by path: the number of arguments, then the key of each. */
export class Memory {
  #root: Map<Key, unknown> = new Map();
  #pairs: Map<Key, unknown> = new Map();
  #nodes = 0;

  /** Maps and handlers held now. */
  get nodes(): number {
    return this.#nodes;
  }

  /** The handler for two arguments, found without making anything. */
  pair(a: Key, b: Key): Handler | undefined {
    return (this.#pairs.get(a) as Map<Key, Handler> | undefined)?.get(b);
  }

  /** The handler remembered at a path. */
  find(path: readonly Key[]): Handler | undefined {
    let node: unknown = this.#root;
    for (const key of path) {
      if (node === undefined) return undefined;
      node = (node as Map<Key, unknown>).get(key);
    }
    return node as Handler | undefined;
  }

  /** Remembers the handler at a path. */
  remember(path: readonly Key[], handler: Handler): void {
    if (this.#nodes + path.length > MOST_NODES) this.#forget();
    let node = this.#root;
    for (const key of path.slice(0, -1)) node = this.#branch(node, key);
    node.set(path.at(-1), handler);
    this.#nodes++;
    if (path.length === 3) this.#pairs = this.#root.get(2) as Map<Key, unknown>;
  }

  #branch(node: Map<Key, unknown>, key: Key): Map<Key, unknown> {
    let next = node.get(key) as Map<Key, unknown> | undefined;
    if (next === undefined) {
      node.set(key, next = new Map());
      this.#nodes++;
    }
    return next;
  }

  #forget(): void {
    [this.#root, this.#pairs, this.#nodes] = [new Map(), new Map(), 0];
  }
}
