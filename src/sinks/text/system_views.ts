import { type Batch, storeOf } from "../../batch/batch.ts";
import { type Field, rowsOf } from "../../batch/store.ts";
import { type System, systemOf } from "../../batch/system.ts";

/**
 * Yields the systems of a batch one by one, for writing. Their arrays are parts of those of the batch, because copies
 * would take as long as their text; systems with edges are copied.
 */
export function* systemViews(batch: Batch): Generator<System, void> {
  const store = storeOf(batch), { nodeOffsets, edgeOffsets, infos } = store;
  const all = [...store.fields];
  for (let at = 0; at < infos.length; at++) {
    const edges = edgeOffsets[at + 1]! - edgeOffsets[at]!;
    if (edges > 0) {
      yield batch.system(at);
      continue;
    }
    const fields = all.map(([name, { info, values }]): [string, Field] => {
      const from = rowsOf(info, store, at) * info.width,
        to = rowsOf(info, store, at + 1) * info.width;
      return [name, { info, values: values.subarray(from, to) }];
    });
    yield systemOf({
      nodeOffsets: Int32Array.of(0, nodeOffsets[at + 1]! - nodeOffsets[at]!),
      edgeOffsets: Int32Array.of(0, 0),
      fields: new Map(fields),
      infos: [infos[at]!],
    });
  }
}
