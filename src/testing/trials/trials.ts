/**
 * Trials of all kernels.
 *
 * @module
 */

import type { Trials } from "../trial.ts";
import { BONDED } from "./bonded.ts";
import { CONSTRAIN } from "./constrain.ts";
import { CONVERGE } from "./converge.ts";
import { GRAPHS } from "./graphs.ts";
import { INTEGRATE } from "./integrate.ts";
import { LEARN } from "./learn.ts";
import { MEASURE } from "./measure.ts";
import { MODIFY } from "./modify.ts";
import { PAIRS } from "./pairs.ts";
import { RELAX } from "./relax.ts";
import { RELAX_HISTORY } from "./relax_history.ts";
import { RELAX_CELLS } from "./relax_cells.ts";
import { STRAIN } from "./strain.ts";

/** All trials, by kernel. */
export const TRIALS: Trials = {
  ...INTEGRATE,
  ...STRAIN,
  ...RELAX,
  ...RELAX_HISTORY,
  ...RELAX_CELLS,
  ...MEASURE,
  ...CONVERGE,
  ...MODIFY,
  ...CONSTRAIN,
  ...LEARN,
  ...BONDED,
  ...PAIRS,
  ...GRAPHS,
};
