import { printWarning } from "../base/print_warning.ts";
import { allocate, BUILT_IN, type FieldInfo, isInteger } from "./fields/fields.ts";
import { type Field, rowsOf, type Store, systemName } from "./store.ts";
import { storeOf, type System, systemOf } from "./system.ts";

/** Largest number of frames that a warning lists by name. */
const MOST_FRAMES = 3;

/**
 * Makes the frames of a file fit into one batch. If only some frames have an integer array, such as ASE's
 * `spacegroup_kinds`, the other frames get it with zeros, and a warning names the array and the frames. Frames that
 * lack no array are returned unchanged. Floating-point arrays are not filled here, because a batch fills them with
 * NaN.
 *
 * @param onWarning receives each warning; `console.warn` by default
 */
export function completeArrays(
  systems: readonly System[],
  onWarning: (message: string) => void = printWarning,
): System[] {
  const stores = systems.map(storeOf);
  const partial = wholeNumbers(stores).filter(({ name }) => {
    const frames = [...stores.keys()].filter((frame) => !stores[frame]!.fields.has(name));
    if (frames.length > 0) onWarning(warningOf(name, frames, stores));
    return frames.length > 0;
  });
  if (partial.length === 0) return [...systems];
  return systems.map((system, frame) => {
    const store = stores[frame]!;
    const lacking = partial.filter(({ name }) => !store.fields.has(name));
    return lacking.length === 0 ? system : filled(store, lacking);
  });
}

/**
 * Returns the descriptions of the custom integer fields of all frames, each name once. Fields with a fill value are
 * left out.
 */
function wholeNumbers(stores: readonly Store[]): FieldInfo[] {
  const found = new Map<string, FieldInfo>();
  for (const { fields } of stores) {
    for (const [name, { info }] of fields) {
      if (BUILT_IN.has(name) || info.fill !== undefined || !isInteger(info.dtype)) continue;
      if (!found.has(name)) found.set(name, info);
    }
  }
  return [...found.values()];
}

function filled(store: Store, infos: readonly FieldInfo[]): System {
  const fields = new Map<string, Field>(store.fields);
  for (const info of infos) {
    fields.set(info.name, {
      info,
      values: allocate(info.dtype, rowsOf(info, store, 1) * info.width),
    });
  }
  return systemOf({ ...store, fields });
}

function warningOf(name: string, frames: readonly number[], stores: readonly Store[]): string {
  const infos = stores.map((store) => store.infos[0]!);
  const names = frames.slice(0, MOST_FRAMES).map((frame) => systemName(infos, frame));
  const rest = frames.length - names.length;
  const others = rest === 0 ? "" : ` and ${rest} more`;
  return `The array ${JSON.stringify(name)} was filled with 0 in frame${
    frames.length === 1 ? "" : "s"
  } ` +
    `${names.join(", ")}${others}, because the file has that array only in other frames`;
}
