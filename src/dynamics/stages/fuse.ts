/**
 * Fused engines: each system is in the stage of one of the engines, and the model is evaluated once for all systems.
 *
 * @module
 */

import type { Names } from "../../hooks/registry/hook_set.ts";
import type { Batch } from "../../batch/batch.ts";
import type { BaseContext } from "../../hooks/protocol/context.ts";
import { Dynamics } from "../dynamics.ts";
import type { DynamicsOptions, FirstHooks, FirstHooksOf } from "../engine/dynamics_options.ts";
import { partsOf } from "../engine/engine_parts.ts";
import { checkEngines, checkExits, checkPlaces, checkStageOptions } from "./fuse_checks.ts";
import { budgetsOf, type Group, groupsOf, hasExit } from "./fuse_groups.ts";
import { staged } from "./staged.ts";
import { StagePart } from "./stage_part.ts";
import type { DynamicsBase } from "../stages.ts";

/** Options of {@linkcode fuse}: those of every engine except `model`, which comes from the fused engines. */
export type FuseOptions<
  H extends FirstHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> = Omit<DynamicsOptions<H, N, W>, "model">;

/**
 * Several engines that run as one. {@linkcode fuse} creates it.
 *
 * @example
 * ```ts
 * import { fuse, NVE } from "@hooke/hooke/dynamics";
 * import { tethers } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = tethers({ stiffness: 1 });
 * await using all = fuse(
 *   new NVE({ model, dt: 1, nSteps: 10, name: "slow" }),
 *   new NVE({ model, dt: 2, nSteps: 10, name: "fast" }),
 * );
 * assertEquals(all.stages.map(({ name }) => name), ["slow", "fast"]);
 * ```
 */
export class FusedDynamics<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> extends Dynamics<H, N, W> {
  /**
   * Engines of the stages, in order. A system with `status` n is in stage n. It is finished if n is the number of
   * stages.
   */
  readonly stages: readonly Dynamics[];

  /** Creates the fused engine. See {@linkcode fuse}. */
  constructor(engines: readonly Dynamics[], options: FuseOptions<H, N, W> = {}) {
    checkEngines(engines);
    checkPlaces(engines, options);
    checkStageOptions(engines);
    const groups = groupsOf(engines);
    const hooks = (options?.hooks ?? []) as FirstHooks;
    checkExits(groups, hooks);
    const stages = groups.filter(({ isStage }) => isStage);
    super(
      staged(
        stages.map(({ engine, name }) => ({ name, integrator: engine.integrator })),
        budgetsOf(groups),
      ),
      optionsOf(engines, options, hasExit(groups, hooks, stages.length)),
    );
    this.stages = stages.map(({ engine }) => engine);
    joinAll(this, engines, groups);
  }

  /** Returns the context fields for hooks of the fused engine. Hooks of a stage get those of the stage's engine. */
  protected override buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    const { engines, hooks } = partsOf(this)!;
    for (const { engine } of groupsOf(engines as readonly Dynamics[])) {
      const { part, contextOf } = partsOf(engine)!;
      part!.extend(contextOf(batch));
    }
    hooks.rejoin();
    return super.buildContext(batch);
  }
}

/** Returns the options of the fused engine. Options that were not passed come from its engines. */
function optionsOf<H extends FirstHooksOf<H>, N extends Names, W extends Names>(
  engines: readonly Dynamics[],
  options: FuseOptions<H, N, W>,
  hasEnd: boolean,
): DynamicsOptions<H, N, W> {
  const all = engines.map((engine) => partsOf(engine)!.options);
  const [{ device, backend, threads } = {}] = all;
  const signals = all.flatMap(({ signal }) => signal === undefined ? [] : [signal]);
  const isPlaced = (options.device ?? options.backend ?? options.threads) !== undefined;
  return {
    ...(device === undefined || isPlaced ? {} : { device }),
    ...(backend === undefined || isPlaced ? {} : { backend }),
    ...(threads === undefined || isPlaced ? {} : { threads }),
    ...(hasEnd ? { nSteps: Infinity } : {}),
    ...(all.some(({ verify }) => verify === true) ? { verify: true } : {}),
    ...options,
    ...(signals.length === 0
      ? {}
      : { signal: AbortSignal.any([...signals, ...(options.signal ? [options.signal] : [])]) }),
    fields: [...new Set([...all, options].flatMap(({ fields = [] }) => fields))],
    model: engines[0]!.model,
  };
}

/** Adds the hooks of all engines to the fused engine. They are called for the systems in their own stages. */
function joinAll(whole: Dynamics, engines: readonly Dynamics[], groups: readonly Group[]): void {
  const parts = partsOf(whole)!;
  const host = () => parts.current();
  for (const engine of engines) partsOf(engine)!.join(whole);
  for (const { engine, name, first, end, outer } of groups) {
    const own = partsOf(engine)!;
    const range = { first, end };
    if (own.part !== undefined) {
      Object.assign(own.part, { name, range, host }); // the engine was fused before, and is now a stage of the outer engine
      continue;
    }
    own.part = new StagePart(name, engine, range, host);
    partsOf(outer ?? whole)!.hooks.join(own.hooks, own.part);
  }
  parts.engines = engines;
  parts.hooks.rejoin();
}

/**
 * Creates one engine from several engines that share a model. The `status` of a system is its stage: 0 is the first
 * engine, 1 the second, and so on. A system whose status is the number of stages is finished. In each step the model
 * is evaluated once for all systems, and each system is moved only by the integrator of its stage. The run ends when
 * all systems are finished, or after `nSteps`.
 *
 * A system leaves its stage when a `ConvergenceHook` of the stage finds it converged, or when it has done the
 * `nSteps` of the stage. It changes stage at most once per step, so it does at least one step in each stage. It
 * starts a stage with new integrator state.
 *
 * Hooks of the fused engine receive all systems. Hooks of a stage receive only the systems in that stage, and are
 * called only if there are any. For these hooks, `ctx.batch`, `ctx.read`, `ctx.write` and `ctx.convergedMask` contain
 * only those systems, and `ctx.workflow` is the engine of the stage. Their ON_ADMIT follows when systems enter the
 * stage. Hooks of the fused engine run first at BEFORE_… stages, and last at all other stages. Hooks can still be
 * added to the engine of a stage.
 *
 * After fusing, the engines cannot run alone. A fused engine can be fused again; its `nSteps` then limits the steps
 * of a system in all of its stages together.
 *
 * @throws {TypeError} if a value is not an engine, if engines have different models or devices, or if a stage other
 * than the last has neither `nSteps` nor a `ConvergenceHook`
 * @throws {RangeError} if `nSteps` of a stage is 0
 *
 * @example
 * ```ts
 * import { Batch, fcc, rattle } from "@hooke/hooke/batch";
 * import { ConvergenceHook, FIRE, fuse, NVE, NVTLangevin } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const batch = Batch.from([rattle(crystal, 0.05, 1), rattle(crystal, 0.2, 2)]);
 *
 * await using all = fuse(
 *   new FIRE({ model, dt: 0.5, hooks: [ConvergenceHook.fromFmax(0.05)] }),
 *   new NVTLangevin({ model, dt: 2, temperature: 40, friction: 0.01, nSteps: 20 }),
 *   new NVE({ model, dt: 2, nSteps: 10 }),
 * );
 * await all.run(batch);
 * assertEquals([...batch.get("status")], [3, 3]); // done
 * assertEquals([...batch.get("time")], [60, 60]); // fs of 20 and 10 steps
 * ```
 */
export function fuse<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
>(
  ...given: readonly [...engines: readonly Dynamics[], options: FuseOptions<H, N, W>]
): FusedDynamics<H, N, W>;
/** Fuses engines without options. */
export function fuse(...engines: readonly Dynamics[]): FusedDynamics;
export function fuse(...given: readonly (Dynamics | FuseOptions)[]): FusedDynamics {
  const last = given.at(-1);
  const hasOptions = given.length > 1 && partsOf(last) === undefined;
  const engines = (hasOptions ? given.slice(0, -1) : given) as readonly Dynamics[];
  return new FusedDynamics(engines, hasOptions ? last as FuseOptions : {});
}
