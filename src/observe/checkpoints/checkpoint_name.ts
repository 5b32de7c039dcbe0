/**
 * Names of checkpoints, from a template.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";

/** `{name}`, `{name:.2f}`, `{name:03d}`. */
const FIELD = /\{([^{}:]*)(?::([^{}]*))?\}/g;
const FORMAT = /^(0?)(\d*)(?:\.(\d+))?([fde]?)$/;
// What one system or another does not take in the name of a file; the controls are meant.
// deno-lint-ignore no-control-regex -- a line break in a name is one of them
const UNFIT = /[<>:"/\\|?*\u0000-\u001f]/g;

/**
 * The name of a file: `"epoch_{epoch}_loss_{val/loss:.2f}"` with values in it. `:.2f` gives two digits behind the
 * point, `:03d` a whole number of three digits, `:.1e` a power of ten. What does not fit into a name becomes `_`.
 *
 * @throws {RangeError} for a name that no value has; says which there are
 * @throws {SyntaxError} for a format that is none
 */
export function checkpointName(
  template: string,
  values: Readonly<Record<string, number>>,
  isNamed: boolean,
): string {
  const text = template.replaceAll(FIELD, (_, name: string, format = "") => {
    const value = values[name];
    if (value === undefined) throw unknownName(template, name, Object.keys(values));
    return (isNamed ? `${name}=` : "") + formatted(template, value, format);
  });
  return text.replaceAll(UNFIT, "_");
}

/** Throws a SyntaxError for a template with a format that is none. */
export function checkTemplate(template: string): void {
  for (const [, , format = ""] of template.matchAll(FIELD)) formatted(template, 0, format);
}

function formatted(template: string, value: number, format: string): string {
  const [, zero = "", width = "", digits, kind = ""] = FORMAT.exec(format) ?? [];
  if (!FORMAT.test(format) || (kind === "d" && digits !== undefined)) {
    throw new SyntaxError(
      `Cannot name a checkpoint: formats must be like .2f, 03d or .1e; got ${
        JSON.stringify(format)
      } in ${JSON.stringify(template)}`,
    );
  }
  const sign = value < 0 && zero === "0" ? "-" : "";
  const text = numberText(sign === "" ? value : -value, digits, kind);
  return sign + text.padStart(Number(width) - sign.length, zero === "0" ? "0" : " ");
}

function numberText(value: number, digits: string | undefined, kind: string): string {
  if (!Number.isFinite(value)) return String(value);
  if (kind === "d") return String(Math.round(value));
  if (kind === "e") return value.toExponential(Number(digits ?? 6));
  if (kind === "f" || digits !== undefined) return value.toFixed(Number(digits ?? 6));
  return String(value);
}

function unknownName(template: string, name: string, names: readonly string[]): RangeError {
  const action = `name a checkpoint by ${JSON.stringify(template)}`;
  return new RangeError(
    complaint(action, `names in filename must be among ${names.join(", ")}`, name, names),
  );
}
