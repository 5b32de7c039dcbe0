/**
 * The fields that training hooks read and write.
 *
 * @module
 */

import type { FieldValues, ReadPlan, StateSource } from "../../hooks/run/reads.ts";
import { readView } from "../../hooks/run/read_view.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { fits } from "../graph/parameters.ts";
import type { Arena, Place } from "../model/arena.ts";
import type { OptimizerSettings, OptimizerView } from "../context.ts";

/** The current values of the fields that hooks read. */
export interface TrainingValues {
  /** The arrays of the parameters. Throws an Error if the model is not open. */
  readonly arena: Arena;
  /** The loss of the last batch. */
  readonly loss: number;
  /** The norm of the gradients of the current step. */
  readonly gradNorm: number;
  /** The learning rate of the first group of the first optimizer. */
  readonly lr: number;
  /** The optimizers. */
  readonly optimizers: readonly OptimizerSettings[];
  /** Loss and gradient norm of the current batch. Resolves when they are known. */
  readonly known: PromiseLike<{ readonly loss: number; readonly gradNorm?: number }>;
  /** Returns the tensors of the current batch that a field observes. Throws a TypeError if they were not computed. */
  seen(field: string): unknown;
}

/** Roles of arrays that are not optimizer state. */
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

/**
 * A value that readers have received. It stays valid as long as the arena and the arrays that it views are the same.
 */
interface KnownParts {
  readonly arena: Arena;
  readonly arrays: readonly unknown[];
  readonly named: unknown;
}

function isSameList(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, i) => one === others[i]);
}

/** Reads and writes the fields of a trainer for its hooks. */
export class TrainingFieldSource implements StateSource {
  readonly fields: readonly string[] = PLAIN;
  readonly #values: TrainingValues;
  readonly #isHost: () => boolean;
  readonly #known = new Map<string, KnownParts>();

  constructor(values: TrainingValues, isHost: () => boolean) {
    this.#values = values;
    this.#isHost = isHost;
  }

  has(field: string): boolean {
    return PLAIN.includes(field) || PATTERNS.test(field);
  }

  plan(fields: readonly string[]): ReadPlan {
    if (this.#isHost()) return { live: true, value: (field) => this.#read(field) };
    // Observers may be called later, so the values are copied now.
    return {
      live: false,
      fetch: (isAwaited) => this.#fetch(fields, isAwaited),
      writeBack: (values) => this.#writeBack(values),
    };
  }

  writable(field: string): unknown {
    return this.#value(field);
  }

  /** Returns the current value of a field. Arrays are views. */
  #value(field: string): unknown {
    const values = this.#values;
    if (isResident(field)) {
      const { arena } = values;
      return this.#named(field, (array) => arena.backend.view(arena.array(array)));
    }
    switch (field) {
      case "loss":
        return values.loss;
      case "gradNorm":
        return values.gradNorm;
      case "lr":
        return values.lr;
      case "optimizers":
        return values.optimizers;
      default:
        return values.seen(field);
    }
  }

  /**
   * Returns the current value of a field for readers. As long as the arrays stay the same, it returns the same
   * object.
   */
  #read(field: string): unknown {
    if (!isResident(field)) return this.#value(field);
    const { arena } = this.#values, [kind] = partsOf(field);
    const arrays = this.#arraysOf(kind).map((array) => arena.backend.view(arena.array(array)));
    const known = this.#known.get(field);
    if (known?.arena === arena && isSameList(known.arrays, arrays)) return known.named;
    const named = this.#value(field);
    this.#known.set(field, { arena, arrays, named });
    return named;
  }

  /**
   * Returns the sections of arrays that a field selects, by the name of the parameter; optimizer state is named
   * `parameter/array`.
   */
  #named(
    field: string,
    numbers: (array: string) => Float32Array | Float64Array,
  ): Map<string, Float32Array> {
    const [kind, pattern = "*"] = partsOf(field), { places } = this.#values.arena;
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
      `Cannot read ${field}: its pattern matches none of ${names.join(", ")}${
        didYouMean(pattern, names)
      }`,
    );
  }

  #arraysOf(kind: string): readonly string[] {
    const { arena } = this.#values;
    return kind === "optimizerState"
      ? arena.names.filter((name) => !OTHERS.includes(name))
      : [kind];
  }

  /** Copies all arrays that the fields need, in one request to the backend. */
  async #fetch(fields: readonly string[], isAwaited: boolean): Promise<FieldValues> {
    const { arena } = this.#values;
    const arrays = [
      ...new Set(fields.filter(isResident).flatMap((field) => this.#arraysOf(partsOf(field)[0]))),
    ];
    const others = fields.filter((field) => !isResident(field));
    const isPending = others.some(mayBePending), known = isPending ? this.#values.known : {};
    const now = others.filter((field) => !mayBePending(field))
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

  /** Returns the current value of a field. If the hook may be called later, settings of optimizers are copied. */
  #later(field: string, isAwaited: boolean): unknown {
    const isLate = field === "optimizers" && !isAwaited;
    return isLate ? copied(this.#values.optimizers) : this.#value(field);
  }

  /** Writes the copies that a hook has changed back to the arrays. */
  #writeBack(values: FieldValues): void {
    const { arena } = this.#values;
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

/** Splits a field into kind and pattern: `"gradients:fc*"` → `["gradients", "fc*"]`. */
export function partsOf(field: string): [kind: string, pattern: string | undefined] {
  const at = field.indexOf(":");
  return at === -1 ? [field, undefined] : [field.slice(0, at), field.slice(at + 1)];
}

function splitLast(name: string): [string, string] {
  const at = name.lastIndexOf("/");
  return [name.slice(0, at), name.slice(at + 1)];
}

/** Returns the section of a parameter. Its elements are float64 on a backend of that precision. */
function part(numbers: Float32Array | Float64Array, { from, size }: Place): Float32Array {
  return readView(numbers.subarray(from, from + size) as Float32Array);
}

/** Returns whether a field may be pending while gradients are on a GPU. */
function mayBePending(field: string): boolean {
  return field === "loss" || field === "gradNorm";
}

/**
 * Returns the descriptor of a property with the given value. If computing the value throws, reading the property
 * throws the same error.
 */
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

/** Copies the settings of optimizers to plain data. */
export function copied(optimizers: readonly OptimizerView[]): readonly OptimizerSettings[] {
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
