import { create } from "@bufbuild/protobuf";
import { StringStringEntryProtoSchema } from "onnx-buf";
import type { ModelProto } from "./codec/messages.ts";

/** Puts a note into a model's metadata, in the place of one of that name. */
export function putNote({ metadataProps }: ModelProto, key: string, value: string): void {
  const note = metadataProps.find((each) => each.key === key);
  if (note !== undefined) note.value = value;
  else metadataProps.push(create(StringStringEntryProtoSchema, { key, value }));
}
