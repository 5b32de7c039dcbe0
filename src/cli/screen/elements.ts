import type { FormatOptions } from "../../formats/format.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatNames } from "../run/formats.ts";
import { NOBLE_GASES } from "../run/noble_gases.ts";
import { type Failure, structuresIn } from "./sources.ts";
import type { ScreenSettings } from "./settings.ts";

/**
 * Returns elements of the structures, for which a potential is opened: for the built-in potential without an element
 * those of the first structure of noble gases; otherwise none. The potential has the parameters of all noble gases in
 * any case. Structures with other elements are set aside later.
 *
 * @throws {UsageError} if no structure has elements of the built-in potential; the message names a file
 */
export async function elementsOfModel(
  { model = "lj" }: Pick<ScreenSettings, "model">,
  files: readonly string[],
  options: FormatOptions,
): Promise<readonly string[]> {
  if (model.toLowerCase() !== "lj") return [];
  let failure: Failure | undefined;
  let other: { readonly label: string; readonly symbols: readonly string[] } | undefined;
  for await (
    const { system, label } of structuresIn(files, options, (each) => failure ??= each)
  ) {
    const strange = [...new Set(system.symbols)].filter((each) =>
      !Object.hasOwn(NOBLE_GASES, each)
    );
    if (strange.length > 0) other ??= { label, symbols: strange };
    else if (system.nodeCount > 0) return [...new Set(system.symbols)];
  }
  throw new UsageError(
    other !== undefined
      ? `Cannot screen without --model: no structure has only ${
        Object.keys(NOBLE_GASES).join(", ")
      }, for which the built-in potential is; ${other.label} has ${
        other.symbols.join(", ")
      }. Pass --model FILE.onnx`
      : `Cannot screen ${files[0]}${
        files.length > 1 ? ` and ${files.length - 1} more` : ""
      }: no structures found${
        failure !== undefined ? ` (${failure.file}: ${failure.reason})` : ""
      }. Files of structures are ${formatNames("read")}`,
  );
}
