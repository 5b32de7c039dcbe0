import type { ModelProto } from "../codec/messages.ts";
import { putNote } from "../put_note.ts";

/** The key of the note in which a file says which of its tensors are parameters. */
const KEY = "hooke.parameters";

/** The tensors that a file calls its parameters; `undefined` where it says nothing, or nothing that makes sense. */
export function notedParameters({ metadataProps }: ModelProto): readonly string[] | undefined {
  const note = metadataProps.find(({ key }) => key === KEY)?.value;
  if (note === undefined) return undefined;
  try {
    const names: unknown = JSON.parse(note);
    const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
    return isList ? names as string[] : undefined;
  } catch {
    return undefined; // somebody else's note of that name
  }
}

/** Has a file say that a tensor is a parameter of it. */
export function noteParameter(model: ModelProto, name: string): void {
  putNote(model, KEY, JSON.stringify([...notedParameters(model) ?? [], name]));
}
