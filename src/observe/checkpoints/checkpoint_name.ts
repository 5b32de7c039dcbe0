/**
 * Names of checkpoints by a template.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";

/** A field of a template: `{name}`, `{name:.2f}`, `{name:03d}`. */
const FIELD = /\{([^{}:]*)(?::([^{}]*))?\}/g;
const FORMAT = /^(0?)(\d*)(?:\.(\d+))?([fde]?)$/;
// Characters that some file systems refuse in names, control characters included.
// deno-lint-ignore no-control-regex -- a line break in a name is one of them
const UNFIT = /[<>:"/\\|?*\u0000-\u001f]/g;

/**
 * Returns the name of a file by a template such as `"epoch_{epoch}_loss_{val/loss:.2f}"`. `:.2f` gives two decimals,
 * `:03d` a whole number of three digits, `:.1e` scientific notation. If `isNamed` is true, `epoch=` or `val/loss=`
 * precedes the value. Characters that a file name cannot have become `_`.
 *
 * @throws {RangeError} if a field is unknown; the message lists the fields
 * @throws {SyntaxError} if a format is wrong
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

/** Throws a SyntaxError if a format in a template is wrong. */
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
    complaint(action, `names in filename must be one of ${names.join(", ")}`, name, names),
  );
}
