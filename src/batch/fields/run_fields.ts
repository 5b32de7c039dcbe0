/**
 * Names of the fields that a run writes into its batch, and that a new run of the same structures must not see.
 *
 * @module
 */

/** Fields of the progress of a run. */
export const PROGRESS_FIELDS: readonly string[] = [
  "status",
  "stepsDone",
  "systemId",
  "step",
  "time",
  "sourceId",
  "sourceIndex",
];

/** Results of an evaluation, which do not belong to another potential or to atoms that have moved. */
export const RESULT_FIELDS: readonly string[] = [
  "energy",
  "energies",
  "free_energy",
  "forces",
  "stress",
  "stresses",
  "virial",
  "virials",
];
