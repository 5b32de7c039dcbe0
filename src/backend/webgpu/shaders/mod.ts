/**
 * The WGSL shaders of kernels, by name.
 *
 * @module
 */

import type { Shader } from "../program/shader.ts";
import { adamStep } from "./learn/adam_step.ts";
import { addModel } from "./add_model.ts";
import { advance } from "./integrate/advance.ts";
import { alignCells } from "./cells/align_cells.ts";
import { barostatChain } from "./barostats/barostat_chain.ts";
import { barostatKick } from "./barostats/barostat_kick.ts";
import { centerBias } from "./bonded/center_bias.ts";
import { checkFinite } from "./check_finite.ts";
import { clampForces } from "./modify/clamp_forces.ts";
import { clear } from "./clear.ts";
import { clipNorm } from "./learn/clip_norm.ts";
import { clipValues } from "./learn/clip_values.ts";
import { conservedEnergy } from "./measure/conserved_energy.ts";
import { countStage } from "./converge/count_stage.ts";
import { creditBath } from "./thermostats/credit_bath.ts";
import { criterion } from "./converge/criterion.ts";
import { deform } from "./cells/deform.ts";
import { drift } from "./integrate/drift.ts";
import { edges } from "./edges/edges.ts";
import { energyChange } from "./measure/energy_change.ts";
import { enterStage } from "./converge/enter_stage.ts";
import { fire2Step } from "./relax/fire2_step.ts";
import { fireStep } from "./relax/fire_step.ts";
import { fmax } from "./measure/fmax.ts";
import { freezeAtoms } from "./modify/freeze_atoms.ts";
import { graduate } from "./converge/graduate.ts";
import { harmonicBonds } from "./bonded/harmonic_bonds.ts";
import { holdCenter } from "./constrain/hold_center.ts";
import { kick } from "./integrate/kick.ts";
import { kickDrift } from "./integrate/kick_drift.ts";
import { kineticEnergy } from "./measure/kinetic_energy.ts";
import { lbfgsStep } from "./relax/lbfgs_step.ts";
import { mix } from "./mix.ts";
import { neighbors } from "./pairs/neighbors.ts";
import { noseHoover } from "./thermostats/nose_hoover.ts";
import { rattle } from "./constrain/rattle.ts";
import { remember } from "./remember.ts";
import { scaleByAdam } from "./learn/scale_by_adam.ts";
import { scaleByLion } from "./learn/scale_by_lion.ts";
import { scaleByMomentum } from "./learn/scale_by_momentum.ts";
import { shake } from "./constrain/shake.ts";
import { spendBudget } from "./converge/spend_budget.ts";
import { strainForces } from "./cells/strain_forces.ts";
import { strainedDrift } from "./barostats/strained_drift.ts";
import { strainedKick } from "./barostats/strained_kick.ts";
import { stress } from "./measure/stress.ts";
import { sumSquares } from "./learn/sum_squares.ts";
import { temperature } from "./measure/temperature.ts";
import { tethers } from "./bonded/tethers.ts";
import { thermalize } from "./thermostats/thermalize.ts";
import { triplets } from "./edges/triplets.ts";
import { velocityRescale } from "./thermostats/velocity_rescale.ts";
import { wrapPositions } from "./modify/wrap_positions.ts";

/** The shaders by the name of their kernel. */
export const SHADERS: ReadonlyMap<string, Shader> = new Map(Object.entries({
  adam_step: adamStep,
  add_model: addModel,
  advance,
  align_cells: alignCells,
  barostat_chain: barostatChain,
  barostat_kick: barostatKick,
  center_bias: centerBias,
  check_finite: checkFinite,
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
  hold_center: holdCenter,
  kick,
  kick_drift: kickDrift,
  kinetic_energy: kineticEnergy,
  lbfgs_step: lbfgsStep,
  mix,
  neighbors,
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
