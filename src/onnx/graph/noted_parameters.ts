import type { ModelProto } from "../codec/messages.ts";
import { setMetadata } from "../set_metadata.ts";

/** Metadata key of the list of a model's parameters. */
export const PARAMETERS_NOTE = "hooke.parameters";

/** Returns the names of the parameters that the metadata of a file list; `undefined` if there is no valid list. */
export function notedParameters({ metadataProps }: ModelProto): readonly string[] | undefined {
  const note = metadataProps.find(({ key }) => key === PARAMETERS_NOTE)?.value;
  return note === undefined ? undefined : parametersIn(note);
}

/** Returns the names in a metadata entry; `undefined` if the entry is not a valid list. */
export function parametersIn(note: string): readonly string[] | undefined {
  try {
    const names: unknown = JSON.parse(note);
    const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
    return isList ? names as string[] : undefined;
  } catch {
    return undefined; // Ignore metadata of another program that uses the same key.
  }
}

/** Adds the name of a tensor to the list of parameters in a file's metadata. */
export function noteParameter(model: ModelProto, name: string): void {
  setMetadata(model, PARAMETERS_NOTE, JSON.stringify([...notedParameters(model) ?? [], name]));
}
