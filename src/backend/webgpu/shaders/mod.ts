/**
 * The kernels in WGSL, by name.
 *
 * @module
 */

import type { Shader } from "../shader.ts";
import { adamStep } from "./adam_step.ts";
import { addModel } from "./add_model.ts";
import { advance } from "./advance.ts";
import { alignCells } from "./align_cells.ts";
import { barostatChain } from "./barostat_chain.ts";
import { barostatKick } from "./barostat_kick.ts";
import { centreBias } from "./centre_bias.ts";
import { clampForces } from "./clamp_forces.ts";
import { clear } from "./clear.ts";
import { clipNorm } from "./clip_norm.ts";
import { clipValues } from "./clip_values.ts";
import { conservedEnergy } from "./conserved_energy.ts";
import { countStage } from "./count_stage.ts";
import { creditBath } from "./credit_bath.ts";
import { criterion } from "./criterion.ts";
import { deform } from "./deform.ts";
import { drift } from "./drift.ts";
import { edges } from "./edges.ts";
import { energyChange } from "./energy_change.ts";
import { enterStage } from "./enter_stage.ts";
import { fire2Step } from "./fire2_step.ts";
import { fireStep } from "./fire_step.ts";
import { fmax } from "./fmax.ts";
import { freezeAtoms } from "./freeze_atoms.ts";
import { graduate } from "./graduate.ts";
import { harmonicBonds } from "./harmonic_bonds.ts";
import { holdCentre } from "./hold_centre.ts";
import { kick } from "./kick.ts";
import { kickDrift } from "./kick_drift.ts";
import { kineticEnergy } from "./kinetic_energy.ts";
import { lbfgsStep } from "./lbfgs_step.ts";
import { lennardJones } from "./lennard_jones.ts";
import { mix } from "./mix.ts";
import { morse } from "./morse.ts";
import { neighbours } from "./neighbours.ts";
import { noseHoover } from "./nose_hoover.ts";
import { rattle } from "./rattle.ts";
import { remember } from "./remember.ts";
import { scaleByAdam } from "./scale_by_adam.ts";
import { scaleByLion } from "./scale_by_lion.ts";
import { scaleByMomentum } from "./scale_by_momentum.ts";
import { shake } from "./shake.ts";
import { spendBudget } from "./spend_budget.ts";
import { strainForces } from "./strain_forces.ts";
import { strainedDrift } from "./strained_drift.ts";
import { strainedKick } from "./strained_kick.ts";
import { stress } from "./stress.ts";
import { sumSquares } from "./sum_squares.ts";
import { temperature } from "./temperature.ts";
import { tethers } from "./tethers.ts";
import { thermalize } from "./thermalize.ts";
import { triplets } from "./triplets.ts";
import { velocityRescale } from "./velocity_rescale.ts";
import { wrapPositions } from "./wrap_positions.ts";

/** Kernel → its shader. */
export const SHADERS: ReadonlyMap<string, Shader> = new Map(Object.entries({
  adam_step: adamStep,
  add_model: addModel,
  advance,
  align_cells: alignCells,
  barostat_chain: barostatChain,
  barostat_kick: barostatKick,
  centre_bias: centreBias,
  clamp_forces: clampForces,
  clear,
  clip_norm: clipNorm,
  clip_values: clipValues,
  conserved_energy: conservedEnergy,
  count_stage: countStage,
  credit_bath: creditBath,
  criterion,
  deform,
  drift,
  edges,
  energy_change: energyChange,
  enter_stage: enterStage,
  fire2_step: fire2Step,
  fire_step: fireStep,
  fmax,
  freeze_atoms: freezeAtoms,
  graduate,
  harmonic_bonds: harmonicBonds,
  hold_centre: holdCentre,
  kick,
  kick_drift: kickDrift,
  kinetic_energy: kineticEnergy,
  lbfgs_step: lbfgsStep,
  lennard_jones: lennardJones,
  mix,
  morse,
  neighbours,
  nose_hoover: noseHoover,
  rattle,
  remember,
  scale_by_adam: scaleByAdam,
  scale_by_lion: scaleByLion,
  scale_by_momentum: scaleByMomentum,
  shake,
  spend_budget: spendBudget,
  strain_forces: strainForces,
  strained_drift: strainedDrift,
  strained_kick: strainedKick,
  stress,
  sum_squares: sumSquares,
  temperature,
  tethers,
  thermalize,
  triplets,
  velocity_rescale: velocityRescale,
  wrap_positions: wrapPositions,
}));
