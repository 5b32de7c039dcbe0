/**
 * The stages of molecular dynamics and structure relaxation.
 *
 * @module
 */

export type {
  ConvergedContext,
  DynamicsBase,
  DynamicsContext,
  DynamicsFields,
  DynamicsStages,
} from "./stages.ts";
export { DynamicsStage } from "./stages.ts";
