/**
 * Engines as the stages of one: each system in its own stage, one evaluation of the model for all.
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

/** Options of {@linkcode fuse}. All others are those of its engines. */
export type FuseOptions<
  H extends FirstHooksOf<H> = never,
  N extends Names = Names,
  W extends Names = Names,
> = Omit<DynamicsOptions<H, N, W>, "model">;

/**
 * Several engines in one, as {@linkcode fuse} makes it.
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
   * The engines of the stages, in order: a system of `status` n is in stage n, and finished if n is the number of
   * stages.
   */
  readonly stages: readonly Dynamics[];

  /** See {@linkcode fuse}. */
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

  /** Members of `ctx` for hooks of the fused engine; hooks of a stage get those of its engine. */
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

/** Returns the options of the fused engine: those that were given, else those of its engines. */
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

/** Makes the fused engine call the hooks of all engines, each for the systems of its stage. */
function joinAll(whole: Dynamics, engines: readonly Dynamics[], groups: readonly Group[]): void {
  const parts = partsOf(whole)!;
  const host = () => parts.current();
  for (const engine of engines) partsOf(engine)!.join(whole);
  for (const { engine, name, first, end, outer } of groups) {
    const own = partsOf(engine)!;
    const range = { first, end };
    if (own.part !== undefined) {
      Object.assign(own.part, { name, range, host }); // of a whole that is now a part itself
      continue;
    }
    own.part = new StagePart(name, engine, range, host);
    partsOf(outer ?? whole)!.hooks.join(own.hooks, own.part);
  }
  parts.engines = engines;
  parts.hooks.rejoin();
}

/**
 * Makes one engine of several that share a model. Each system is in a stage of its own, its `status`: 0 is the first
 * engine, and so on; with as many as there are stages it is done, and rests. In a step the model is evaluated once for
 * all, and each system is moved by its stage alone. The run ends when all systems are done, or after `nSteps`.
 *
 * A system goes on when it meets a `ConvergenceHook` of its stage, or has done the `nSteps` of its stage there, at most
 * one stage in a step; so it does a step or more in each. It begins a stage with that stage's state as new.
 *
 * Hooks of the whole see all systems. Those of a stage, which may still be added to its engine, see the systems of that
 * stage and are called where there are some: `ctx.batch`, `ctx.read`, `ctx.write` and `ctx.convergedMask` are of these,
 * `ctx.workflow` is the engine of the stage. ON_ADMIT is reached there when systems have come. Hooks of the whole come
 * first at BEFORE_… stages, and last at all others.
 *
 * From then on the engines are stages: they can no longer be run alone. A fused engine can be fused again; its
 * `nSteps` then limits the steps of a system in all of its stages together.
 *
 * @throws {TypeError} for values that are not engines, for engines of different models or devices, and where a stage
 * but the last has neither `nSteps` nor a `ConvergenceHook`
 * @throws {RangeError} for a stage of 0 steps
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
