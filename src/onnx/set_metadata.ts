import { create } from "@bufbuild/protobuf";
import { StringStringEntryProtoSchema } from "onnx-buf";
import type { ModelProto } from "./codec/messages.ts";

/** Sets an entry of a model's metadata. Replaces an entry with the same key. */
export function setMetadata({ metadataProps }: ModelProto, key: string, value: string): void {
  const note = metadataProps.find((each) => each.key === key);
  if (note !== undefined) note.value = value;
  else metadataProps.push(create(StringStringEntryProtoSchema, { key, value }));
}
