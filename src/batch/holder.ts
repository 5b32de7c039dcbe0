/**
 * Who has the values of a batch while something runs on them.
 *
 * @module
 */

import type { NumericArray } from "./fields.ts";

/** An engine that holds fields of a batch, as the batch sees it. */
export interface FieldHolder {
  /** What errors call it: "NVE". */
  readonly by: string;
  /** The names of the fields it holds: the batch's own values of these are old. */
  readonly fields: ReadonlySet<string>;
  /** The present values of a field it holds: an array the caller may keep. */
  fetch(name: string): Promise<NumericArray>;
}
