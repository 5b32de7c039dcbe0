/**
 * Structures as canonical text. Equal structures have the same text, so that it can be hashed.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { reasonOf, show } from "../../base/show.ts";
import { BUILT_IN, type FieldInfo, type NumericArray } from "../../batch/fields/fields.ts";
import { PROGRESS_FIELDS, RESULT_FIELDS } from "../../batch/fields/run_fields.ts";
import { storeOf, type System, systemOf, systemOfData } from "../../batch/system.ts";
import type { SystemInput } from "../../batch/system_input.ts";
import { numberOf, numberText } from "../../sinks/tagged_json.ts";

/** Fields that are results or progress of an earlier run, and no input of a new one. */
const NOT_INPUT: ReadonlySet<string> = new Set([...PROGRESS_FIELDS, ...RESULT_FIELDS]);

/**
 * Returns a structure as an item of a campaign has it: without edges and `info`, and without the results and the
 * progress of earlier runs.
 */
export function inputOf(system: System): System {
  const store = storeOf(system);
  const fields = [...store.fields].filter(([name, { info }]) =>
    !NOT_INPUT.has(name) && info.level !== "edge"
  );
  return systemOf({
    ...store,
    edgeOffsets: new Int32Array(2),
    fields: new Map(fields),
    infos: [{}],
  });
}

/**
 * Returns the canonical text of a structure: its fields in the order of their names, with exact numbers. The `info` of
 * a structure is left out, because it has no effect on results.
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { structureOf, structureText } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const text = structureText(fcc({ element: "Ar", a: 5.3 }));
 * assertEquals(structureText(structureOf(text)), text);
 * ```
 */
export function structureText(system: System): string {
  const fields = system.fields().filter(({ level }) => level !== "edge");
  fields.sort((a, b) => a.name < b.name ? -1 : 1);
  return `{${
    fields.map((info) => `${JSON.stringify(info.name)}:${fieldText(system.get(info.name), info)}`)
      .join(",")
  }}`;
}

function fieldText(
  values: NumericArray,
  { name, level, dtype, width, unit, fill }: FieldInfo,
): string {
  const numbers = `[${Array.from(values, numberText).join(",")}]`;
  if (BUILT_IN.has(name)) return numbers;
  const shape = `"level":"${level}","dtype":"${dtype}","width":${width},"unit":${
    JSON.stringify(unit)
  }`;
  const given = fill === undefined ? "" : `,"fill":${numberText(fill)}`;
  return `{${shape}${given},"values":${numbers}}`;
}

/** Built-in fields that an input of `new System` has as a single number, or by another name. */
const SINGLE: ReadonlySet<string> = new Set(["energy", "status", "stepsDone", "dofRemoved"]);

/**
 * Returns the structure of a text or of its parsed JSON.
 *
 * @throws {SyntaxError} if it is not a structure
 *
 * @example
 * ```ts
 * import { System } from "@hooke/hooke/batch";
 * import { structureOf, structureText } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const text = structureText(new System({ symbols: ["Ar"], positions: [[0, 0, 0]] }));
 * assertEquals(structureOf(text).symbols, ["Ar"]);
 * ```
 */
export function structureOf(text: unknown): System {
  try {
    const data: unknown = typeof text === "string" ? JSON.parse(text) : text;
    if (!isObject(data)) {
      throw new SyntaxError(`the structure must be an object; got ${show(data)}`);
    }
    const input: Record<string, unknown> = {}, fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(data)) {
      if (BUILT_IN.has(name)) {
        const values = numbersOf(name, value);
        input[name === "systemId" ? "id" : name] = SINGLE.has(name) || name === "systemId"
          ? values[0]
          : values;
      } else if (isObject(value)) {
        const { fill } = value;
        fields[name] = {
          ...value,
          values: numbersOf(name, value.values),
          ...fill !== undefined && { fill: numbersOf(name, [fill])[0] },
        };
      } else {
        throw new SyntaxError(`${name} must be an object with values; got ${show(value)}`);
      }
    }
    return systemOfData({ ...input, fields } as unknown as SystemInput);
  } catch (cause) {
    throw new SyntaxError(`Cannot read the structure: ${reasonOf(cause)}`, { cause });
  }
}

function numbersOf(name: string, values: unknown): number[] {
  const numbers = Array.isArray(values) ? values.map(numberOf) : [undefined];
  if (!numbers.includes(undefined)) return numbers as number[];
  throw new SyntaxError(`${name} must be a list of numbers; got ${show(values)}`);
}
