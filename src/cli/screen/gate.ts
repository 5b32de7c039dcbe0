/**
 * Checks of structures before they join the stream of a screening.
 *
 * @module
 */

import { openDevice } from "../../backend/open.ts";
import { Batch } from "../../batch/batch.ts";
import { System } from "../../batch/system.ts";
import { evaluateModel } from "../../models/evaluate.ts";
import type { Model } from "../../models/model.ts";
import type { Structure } from "../run/structures.ts";
import { reasonOf } from "./sources.ts";

/** Finds structures that would end a stream, before they join it. */
export class Gate {
  readonly #model: Model;
  /** Elements with which the model has been evaluated, and the reason if it refused them. */
  readonly #elements = new Map<string, string | undefined>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Returns the reason why a structure cannot be relaxed; undefined if it can. */
  async refusal(structure: Structure): Promise<string | undefined> {
    const { system } = structure;
    if (system.nodeCount === 0) return "it has no atoms";
    const lost = system.positions.findIndex((x) => !Number.isFinite(x));
    if (lost >= 0) return `the position of atom ${Math.floor(lost / 3)} is not finite`;
    if (!system.cell.every(Number.isFinite)) return "its cell is not finite";
    const symbols = [...new Set(system.symbols)];
    const refused = symbols.find((symbol) => this.#elements.get(symbol) !== undefined);
    if (refused !== undefined) return atomOf(system, refused, this.#elements.get(refused)!);
    const fresh = symbols.filter((symbol) => !this.#elements.has(symbol));
    if (fresh.length === 0) return undefined;
    const reason = await this.#try(system);
    if (reason === undefined) {
      for (const symbol of fresh) this.#elements.set(symbol, undefined);
      return undefined;
    }
    const culprit = await this.#culprit(fresh, reason);
    if (culprit === undefined) return reason;
    // All other structures with that element are refused, too.
    this.#elements.set(culprit, reason);
    return atomOf(system, culprit, reason);
  }

  /**
   * Returns the element that is the reason of a refusal; undefined if it is not clear. A message may also name the
   * elements that the model has, so of several elements it is the one of which the model refuses a single atom.
   */
  async #culprit(fresh: readonly string[], reason: string): Promise<string | undefined> {
    const named = fresh.filter((symbol) => namesElement(reason, symbol));
    if (fresh.length === 1) return named[0];
    for (const symbol of named) {
      const alone = await this.#try(new System({ symbols: [symbol], positions: [0, 0, 0] }));
      if (alone !== undefined && namesElement(alone, symbol)) return symbol;
    }
    return undefined;
  }

  /** Evaluates the model for a system. Returns the message if it refuses the system. */
  async #try(system: System): Promise<string | undefined> {
    const { backend } = await openDevice("wasm");
    try {
      await evaluateModel(this.#model, Batch.from([system]), backend);
      return undefined;
    } catch (error) {
      return reasonOf(error);
    } finally {
      backend.dispose();
    }
  }
}

/** Returns a reason with the index of the first atom of an element in this structure, which is not that in a batch. */
function atomOf(system: System, symbol: string, reason: string): string {
  const atom = new RegExp(`\\batom \\d+ of system .*? is ${symbol}\\b`);
  return reason.replace(atom, `atom ${system.symbols.indexOf(symbol)} is ${symbol}`);
}

function namesElement(reason: string, symbol: string): boolean {
  return new RegExp(`\\b${symbol}\\b`).test(reason);
}
