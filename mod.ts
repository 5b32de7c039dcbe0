/**
 * Hooke runs step loops (molecular dynamics, relaxation, training, or one of your own) and lets hooks into every
 * stage of them.
 *
 * @example Relax crystals, several at once
 * ```ts
 * import { Batch, ConvergenceHook, fcc, FIRE, lennardJones, rattle } from "@hooke/hooke";
 * import { assertEquals } from "@std/assert";
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const batch = Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.2, 2)]);
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01)],
 * });
 * await opt.run(batch);
 * assertEquals([...batch.get("status")], [1, 1]); // relaxed, both
 * ```
 *
 * @example A loop of one's own with a hook
 * ```ts
 * import { type BaseContext, hook, Loop, stages } from "@hooke/hooke";
 * import { assertEquals } from "@std/assert";
 *
 * interface Walk extends BaseContext { readonly x: number }
 * const WalkStage = stages<Walk>()("walk", ["AFTER_STEP"]);
 * const rows: string[] = [];
 * const log = hook({
 *   name: "log",
 *   frequency: 2,
 *   kinds: [WalkStage],
 *   on: { walk: { AFTER_STEP: (ctx) => void rows.push(`${ctx.stepCount}: ${ctx.x}`) } },
 * });
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   context: { x: 0 },
 *   step: (loop) => {
 *     loop.context.x += 0.5;
 *     return loop.fire(WalkStage.AFTER_STEP);
 *   },
 * }, {
 *   hooks: [log],
 * });
 * await loop.run(3);
 * assertEquals(rows, ["0: 0.5", "2: 1.5"]);
 * ```
 *
 * @module
 */

export * from "./src/dispatch/mod.ts";
export * from "./src/hooks/mod.ts";
export * from "./src/batch/mod.ts";
export * from "./src/batch/extxyz/mod.ts";
export * from "./src/batch/neighbors/mod.ts";
export * from "./src/models/mod.ts";
export * from "./src/dynamics/mod.ts";
export * from "./src/training/hook_api.ts";
export * from "./src/observe/mod.ts";
export * from "./src/sinks/mod.ts";
export * from "./src/config/hooks/hooks_and_logs.ts";
export type { BuiltInKinds, ContextOf } from "./src/hook.ts";
export { hook, overload } from "./src/hook.ts";
