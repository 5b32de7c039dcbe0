/**
 * Fields of the newest frame of a run. Most views need the positions alone, which are a third of the bytes.
 *
 * @module
 */

import type { ViewerFrame } from "../../protocol.ts";
import type { AtomView } from "../atom_view.ts";
import { BY_ELEMENT } from "../color_by.ts";

/** Returns the names of the fields that can color the atoms of a frame, those among them that it lacks so far. */
export function fieldNames({ fields = {}, further }: ViewerFrame): string[] {
  const names = Object.keys(fields);
  return further === undefined ? names : [...names, ...further].sort();
}

/** Returns the fields that a view needs: that of its colors; undefined, for all, while it describes atoms. */
export function neededFields(
  view: AtomView | undefined,
  colorBy: string | null,
): readonly string[] | undefined {
  if (view !== undefined && view.selection.length > 0) return undefined;
  return colorBy === null || colorBy === BY_ELEMENT ? [] : [colorBy];
}
