import type { Declared } from "./declared.ts";

/** The values so far. */
export type Values = { _: Array<string | number>; [name: string]: unknown };

/** Collects what the arguments say, one flag or argument at a time. */
export class Result {
  readonly values: Values = { _: [] };
  readonly #declared: Declared;
  readonly #unknown: ((arg: string, key?: string, value?: unknown) => unknown) | undefined;

  constructor(
    declared: Declared,
    unknown: ((arg: string, key?: string, value?: unknown) => unknown) | undefined,
  ) {
    this.#declared = declared;
    this.#unknown = unknown;
  }

  /** Adds an argument that belongs to no flag. */
  addArgument(arg: string): void {
    if (this.#unknown?.(arg) === false) return;
    this.values._.push(this.#declared.isString("_") ? arg : numeric(arg));
  }

  /** Sets a flag under all its names. `arg` is how it was written. */
  set(name: string, value: string | boolean, arg: string): void {
    const known = this.#declared.isKnown(name) ||
      (this.#declared.allBoolean && /^--[^=]+$/.test(arg));
    if (!known && this.#unknown?.(arg, name, value) === false) return;
    const kept = typeof value === "string" && !this.#declared.isString(name)
      ? numeric(value)
      : value;
    for (const each of this.#declared.names(name)) {
      const before = read(this.values, each);
      const collected = this.#declared.isCollected(each);
      write(this.values, each, collected ? [...Array.isArray(before) ? before : [], kept] : kept);
    }
  }

  /** Fills in what was not given: first the caller's defaults, then what the declarations imply. */
  finish(defaults: Record<string, unknown>): Values {
    for (const [name, value] of [...Object.entries(defaults), ...this.#declared.initial()]) {
      for (const each of this.#declared.names(name)) {
        if (read(this.values, each) === undefined) write(this.values, each, value);
      }
    }
    return this.values;
  }
}

/** A number where the text is one, in decimal, scientific or hexadecimal notation. */
function numeric(text: string): string | number {
  const isNumber = /^0x[0-9a-f]+$/i.test(text) ||
    /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text);
  return isNumber ? Number(text) : text;
}

function read(values: Values, name: string): unknown {
  let holder: unknown = values;
  for (const key of name.split(".")) {
    if (!isHolder(holder) || !Object.hasOwn(holder, key)) return undefined;
    holder = holder[key];
  }
  return holder;
}

/** Writes `a.b` into an object under `a`; defined, not set, so `--__proto__` is a name like others. */
function write(values: Values, name: string, value: unknown): void {
  const path = name.split(".");
  const last = path.pop()!;
  let holder: Record<string, unknown> = values;
  for (const key of path) {
    const inner = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const next = isHolder(inner) ? inner : {};
    define(holder, key, next);
    holder = next;
  }
  define(holder, last, value);
}

function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
