/**
 * The fields of new systems: which of them are kept, and whether they agree with those of the store.
 *
 * @module
 */

import { type FieldInfo, isInteger, type Level } from "../../batch/fields/fields.ts";

/** Selects the fields to keep. */
export class KeptFields {
  readonly #only: ReadonlySet<string> | undefined;
  /** The last list, and the fields of it that are kept. */
  #last: { readonly all: readonly FieldInfo[]; readonly kept: readonly FieldInfo[] } = {
    all: [],
    kept: [],
  };

  /** `names` are the names of the fields to keep; `undefined` keeps all. */
  constructor(names: readonly string[] | undefined) {
    this.#only = names === undefined ? undefined : new Set(names);
  }

  /** Returns the fields of a list that are kept: the same object for the same list. */
  of(all: readonly FieldInfo[]): readonly FieldInfo[] {
    const only = this.#only;
    if (only === undefined) return all;
    if (this.#last.all !== all) {
      this.#last = { all, kept: all.filter(({ name }) => only.has(name)) };
    }
    return this.#last.kept;
  }
}

/** Number of rows at each level: of atoms, edges and systems. */
export type Rows = Readonly<Record<Level, number>>;

/**
 * Returns the fields of new systems that the store does not have yet.
 *
 * @param known fields of the store
 * @param incoming fields of the new systems
 * @throws {TypeError} if a field differs from that of the store, or if some systems lack an integer field that has no
 * fill value
 */
export function newFields(
  known: ReadonlyMap<string, FieldInfo>,
  incoming: readonly FieldInfo[],
  { path, stored, added }: { readonly path: string; readonly stored: Rows; readonly added: Rows },
): FieldInfo[] {
  const fresh: FieldInfo[] = [];
  let found = 0;
  for (const info of incoming) {
    const own = known.get(info.name);
    if (own === undefined) {
      if (stored[info.level] > 0) checkFill(info, path, "the stored systems");
      fresh.push(info);
    } else {
      found++;
      if (own !== info) checkSame(own, info, path);
    }
  }
  if (found === known.size) return fresh;
  const names = new Set(incoming.map(({ name }) => name));
  for (const info of known.values()) {
    if (!names.has(info.name) && added[info.level] > 0) {
      checkFill(info, path, "the new systems");
    }
  }
  return fresh;
}

function checkSame(own: FieldInfo, info: FieldInfo, path: string): void {
  const isSame = own.level === info.level && own.dtype === info.dtype && own.width === info.width &&
    (own.unit === info.unit || own.unit === "" || info.unit === "") &&
    (own.fill === undefined || info.fill === undefined || Object.is(own.fill, info.fill));
  if (isSame) return;
  throw new TypeError(
    `Cannot write to ${path}: the field "${own.name}" must be ${describe(own)}; got ${
      describe(info)
    }`,
  );
}

function describe({ level, dtype, width, unit, fill }: FieldInfo): string {
  const of = unit === "" ? "" : ` in ${unit}`;
  return `${width} × ${dtype}${of} per ${level}${
    fill === undefined ? "" : ` with fill value ${fill}`
  }`;
}

function checkFill({ name, dtype, fill }: FieldInfo, path: string, lacking: string): void {
  if (fill !== undefined || !isInteger(dtype)) return;
  throw new TypeError(
    `Cannot write to ${path}: all systems must have the field "${name}", which has no fill value; ${lacking} do not have it`,
  );
}
