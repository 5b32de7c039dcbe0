/**
 * What training hooks read and write.
 *
 * @module
 */

import type { FieldValues, ReadPlan, StateSource } from "../../hooks/run/reads.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { fits } from "../graph/parameters.ts";
import type { Arena, Place } from "../model/arena.ts";
import type { OptimizerSettings } from "../context.ts";

/** What a trainer knows at a moment. */
export interface TrainingMoment {
  /** Where the parameters are; throws where the model is not open. */
  readonly arena: Arena;
  /** The loss of the last batch. */
  readonly loss: number;
  /** The norm of the gradients, or how it is found. */
  readonly gradNorm: number;
  /** The learning rate of the first group. */
  readonly lr: number;
  /** The optimizers. */
  readonly optimizers: readonly OptimizerSettings[];
  /** Loss and norm of this moment, when they are known. */
  readonly known: PromiseLike<{ readonly loss: number; readonly gradNorm?: number }>;
  /** What was seen of the model in this batch, by field. Throws where it was not. */
  seen(field: string): unknown;
}

/** Arrays that are no state of an optimizer. */
const OTHERS: readonly string[] = ["parameters", "gradients", "more", "updates", "shard"];
const PLAIN: readonly string[] = [
  "loss",
  "gradNorm",
  "lr",
  "optimizers",
  "parameters",
  "gradients",
  "optimizerState",
];
const PATTERNS = /^(parameters|gradients|optimizerState|activations|statistics):.+/;

/** The fields of a trainer. */
export class TrainingFieldSource implements StateSource {
  readonly fields: readonly string[] = PLAIN;
  readonly #moment: TrainingMoment;
  readonly #isHost: () => boolean;

  constructor(moment: TrainingMoment, isHost: () => boolean) {
    this.#moment = moment;
    this.#isHost = isHost;
  }

  has(field: string): boolean {
    return PLAIN.includes(field) || PATTERNS.test(field);
  }

  plan(fields: readonly string[]): ReadPlan {
    if (this.#isHost()) return { live: true, value: (field) => this.#value(field) };
    // Who looks on may be called later: what it reads is that of now all the same.
    return {
      live: false,
      fetch: (isAwaited) => this.#fetch(fields, isAwaited),
      writeBack: (values) => this.#give(values),
    };
  }

  writable(field: string): unknown {
    return this.#value(field);
  }

  /** A field as it is now; of what is resident, views. */
  #value(field: string): unknown {
    const moment = this.#moment;
    if (isResident(field)) {
      const { arena } = moment;
      return this.#named(field, (array) => arena.backend.view(arena.array(array)));
    }
    switch (field) {
      case "loss":
        return moment.loss;
      case "gradNorm":
        return moment.gradNorm;
      case "lr":
        return moment.lr;
      case "optimizers":
        return moment.optimizers;
      default:
        return moment.seen(field);
    }
  }

  /** Parts of arrays by the names of parameters, or for what optimizers keep by those and the name of what it is. */
  #named(
    field: string,
    numbers: (array: string) => Float32Array | Float64Array,
  ): Map<string, Float32Array> {
    const [kind, pattern = "*"] = partsOf(field), { places } = this.#moment.arena;
    const arrays = this.#arraysOf(kind);
    const found = arrays.flatMap((array) => {
      const all = numbers(array);
      return places.map((place) =>
        [
          kind === "optimizerState" ? `${place.name}/${array}` : place.name,
          part(all, place),
        ] as const
      );
    });
    const fitting = found.filter(([name]) => fits(name, pattern));
    if (fitting.length > 0 || pattern === "*") return new Map(fitting);
    const names = found.map(([name]) => name);
    throw new RangeError(
      `Cannot read ${field} as its pattern must fit something: there are ${names.join(", ")}${
        didYouMean(pattern, names)
      }`,
    );
  }

  #arraysOf(kind: string): readonly string[] {
    const { arena } = this.#moment;
    return kind === "optimizerState"
      ? arena.names.filter((name) => !OTHERS.includes(name))
      : [kind];
  }

  /** One copy of all arrays that the fields are parts of. */
  async #fetch(fields: readonly string[], isAwaited: boolean): Promise<FieldValues> {
    const { arena } = this.#moment;
    const arrays = [
      ...new Set(fields.filter(isResident).flatMap((field) => this.#arraysOf(partsOf(field)[0]))),
    ];
    const others = fields.filter((field) => !isResident(field));
    const isComing = others.some(isToCome), known = isComing ? this.#moment.known : {};
    const now = others.filter((field) => !isToCome(field))
      .map((field) => [field, described(() => this.#later(field, isAwaited))] as const);
    const buffers = arrays.map((array) => arena.array(array));
    const copies = buffers.length === 0
      ? []
      : await (isAwaited ? arena.backend.viewOrRead(buffers) : arena.backend.readLate(buffers));
    const numbers = (array: string) => copies[arrays.indexOf(array)]!;
    const resident = fields.filter(isResident).map((field) =>
      [field, described(() => this.#named(field, numbers))] as const
    );
    const { loss, gradNorm } = await known as { loss?: number; gradNorm?: number };
    return Object.defineProperties({ loss, gradNorm }, Object.fromEntries([...now, ...resident]));
  }

  /** A field as it is now, for later. */
  #later(field: string, isAwaited: boolean): unknown {
    const isLate = field === "optimizers" && !isAwaited;
    return isLate ? copied(this.#moment.optimizers) : this.#value(field);
  }

  /** Takes back what a hook has changed of copies. */
  #give(values: FieldValues): void {
    const { arena } = this.#moment;
    for (const [field, value] of Object.entries(values)) {
      if (!isResident(field)) continue;
      const [kind] = partsOf(field);
      for (const [name, numbers] of value as ReadonlyMap<string, Float32Array>) {
        const [parameter, array] = kind === "optimizerState" ? splitLast(name) : [name, kind];
        const place = arena.places.find((place) => place.name === parameter)!;
        arena.backend.write(arena.array(array), numbers, place.from);
      }
    }
  }
}

/** `"gradients:fc*"` → `["gradients", "fc*"]`. */
export function partsOf(field: string): [kind: string, pattern: string | undefined] {
  const at = field.indexOf(":");
  return at === -1 ? [field, undefined] : [field.slice(0, at), field.slice(at + 1)];
}

function splitLast(name: string): [string, string] {
  const at = name.lastIndexOf("/");
  return [name.slice(0, at), name.slice(at + 1)];
}

/** Of float64 where the backend is. */
function part(numbers: Float32Array | Float64Array, { from, size }: Place): Float32Array {
  return numbers.subarray(from, from + size) as Float32Array;
}

/** May it be yet to come where gradients are on a GPU? */
function isToCome(field: string): boolean {
  return field === "loss" || field === "gradNorm";
}

/** A value, or where there is none what whoever asks for it is told. */
function described(value: () => unknown): PropertyDescriptor {
  try {
    return { value: value(), enumerable: true };
  } catch (error) {
    return {
      get: () => {
        throw error;
      },
      enumerable: true,
    };
  }
}

/** Optimizers as they are now. */
function copied(optimizers: readonly OptimizerSettings[]): readonly OptimizerSettings[] {
  return optimizers.map(({ name, groups }) => ({
    name,
    groups: groups.map(({ parameters, lr, weightDecay, momentum }) => ({
      parameters,
      lr,
      weightDecay,
      momentum,
    })),
  }));
}

function isResident(field: string): boolean {
  return /^(parameters|gradients|optimizerState)\b/.test(field);
}
