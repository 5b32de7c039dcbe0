/**
 * How each kernel is tried.
 *
 * @module
 */

import type { Trials } from "../trial.ts";
import { BONDED } from "./bonded.ts";
import { CONVERGE } from "./converge.ts";
import { GRAPHS } from "./graphs.ts";
import { INTEGRATE } from "./integrate.ts";
import { LEARN } from "./learn.ts";
import { MEASURE } from "./measure.ts";
import { MODIFY } from "./modify.ts";
import { PAIRS } from "./pairs.ts";
import { RELAX } from "./relax.ts";
import { STRAIN } from "./strain.ts";

/** Kernel → how it is tried. */
export const TRIALS: Trials = {
  ...INTEGRATE,
  ...STRAIN,
  ...RELAX,
  ...MEASURE,
  ...CONVERGE,
  ...MODIFY,
  ...LEARN,
  ...BONDED,
  ...PAIRS,
  ...GRAPHS,
};
