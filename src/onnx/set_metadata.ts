import { create } from "@bufbuild/protobuf";
import { StringStringEntryProtoSchema } from "onnx-buf";
import type { ModelProto } from "./codec/messages.ts";

/** Sets a note in the model's metadata. A note of the same name is replaced. */
export function setMetadata({ metadataProps }: ModelProto, key: string, value: string): void {
  const note = metadataProps.find((each) => each.key === key);
  if (note !== undefined) note.value = value;
  else metadataProps.push(create(StringStringEntryProtoSchema, { key, value }));
}
