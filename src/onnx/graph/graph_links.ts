import { showNode } from "../codec/check_model.ts";
import { malformed } from "./graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { capturesOf, hasSubgraphs } from "./subgraphs.ts";

/** A use of a value by a node. */
export interface Use {
  /** Node that uses the value. */
  readonly node: NodeProto;
  /** Index of the node's input; −1 if a subgraph of the node captures the value. */
  readonly index: number;
}

/** The node that computes each value, and the nodes that use it. */
export class Links {
  readonly #producers = new Map<string, NodeProto>();
  readonly #uses = new Map<string, Use[]>();

  producer(name: string): NodeProto | undefined {
    return this.#producers.get(name);
  }

  uses(name: string): readonly Use[] {
    return this.#uses.get(name) ?? [];
  }

  /** Yields the names of used values, each with one of the nodes that use it. */
  *used(): Iterable<[name: string, node: NodeProto]> {
    for (const [name, [use]] of this.#uses) if (use !== undefined) yield [name, use.node];
  }

  /**
   * Registers a node with its outputs and uses. `isTaken` returns whether a name belongs to an input or a constant.
   * Throws a SyntaxError if another value has the name of an output.
   */
  link(node: NodeProto, isTaken: (name: string) => boolean): void {
    for (const name of node.output) {
      if (name === "") continue;
      if (isTaken(name) || this.#producers.has(name)) {
        throw malformed(
          "every value must be the output of only one node",
          `${JSON.stringify(name)} twice, then by ${showNode(node)}`,
        );
      }
      this.#producers.set(name, node);
    }
    for (const [index, name] of node.input.entries()) this.addUse(name, node, index);
    if (!hasSubgraphs(node)) return;
    for (const name of capturesOf(node)) this.addUse(name, node, -1);
  }

  unlink(node: NodeProto): void {
    for (const name of node.output) this.#producers.delete(name);
    for (const [index, name] of node.input.entries()) this.dropUse(name, node, index);
    if (!hasSubgraphs(node)) return;
    for (const name of capturesOf(node)) this.dropUse(name, node, -1);
  }

  /** Renames the output of a node. */
  rename(from: string, to: string): void {
    const node = this.#producers.get(from);
    if (node === undefined) return;
    node.output[node.output.indexOf(from)] = to;
    this.#producers.delete(from);
    this.#producers.set(to, node);
  }

  addUse(name: string, node: NodeProto, index: number): void {
    if (name === "") return;
    const uses = this.#uses.get(name);
    if (uses === undefined) this.#uses.set(name, [{ node, index }]);
    else uses.push({ node, index });
  }

  dropUse(name: string, node: NodeProto, index: number): void {
    const uses = this.#uses.get(name) ?? [];
    const at = uses.findIndex((use) => use.node === node && use.index === index);
    if (at !== -1) uses.splice(at, 1);
  }
}
