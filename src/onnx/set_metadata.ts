import { create } from "@bufbuild/protobuf";
import { StringStringEntryProtoSchema } from "onnx-buf";
import type { ModelProto } from "./codec/messages.ts";

/** Sets an entry of the model's metadata. An entry with the same key is replaced. */
export function setMetadata({ metadataProps }: ModelProto, key: string, value: string): void {
  const note = metadataProps.find((each) => each.key === key);
  if (note !== undefined) note.value = value;
  else metadataProps.push(create(StringStringEntryProtoSchema, { key, value }));
}
