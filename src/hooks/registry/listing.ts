/**
 * Lists of registered hooks, for people and for logs.
 *
 * @module
 */

/** One registered hook. */
export interface HookListing {
  /** Name. */
  readonly name: string;
  /** True if the hook is enabled. */
  readonly enabled: boolean;
  /** The stages at which it runs. */
  readonly stages: readonly string[];
  /** Frequency. */
  readonly frequency: number;
  /** Position in the order of execution, from 0. */
  readonly order: number;
  /** Band. */
  readonly band: "first" | "normal" | "last";
  /** Stage → the overload that was matched. */
  readonly overloads: Readonly<Record<string, string>>;
  /** True if only `otherwise` matched: the hook knows none of this engine's kinds. */
  readonly isFallback: boolean;
  /** The fields that it reads. */
  readonly reads: readonly string[];
  /** The fields that it writes. */
  readonly writes: readonly string[];
  /** Number of errors that it has thrown. */
  readonly errors: number;
}

/** One hook at one stage of a {@linkcode Plan}. */
export interface PlanStep {
  /** The hook's name. */
  readonly hook: string;
  /** The overload that was matched. */
  readonly matched: string;
  /** Schedule in words: `every 10 steps`. */
  readonly when: string;
  /** True if the hook is enabled. */
  readonly enabled: boolean;
}

/**
 * The hooks of each stage, in order. `String(plan)` is a table.
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * loop.hooks.add({ name: "log", stage: WalkStage.AFTER_STEP, frequency: 5, call() {} });
 * assertEquals(String(loop.hooks.plan()), "walk/AFTER_STEP  log  every 5 steps  call");
 * ```
 */
export class Plan {
  /** Stage → its hooks, in the order in which they run. Stages without hooks are included. */
  readonly stages: ReadonlyMap<string, readonly PlanStep[]>;
  readonly #roles: ReadonlyMap<string, string>;

  /** Made by the registry. */
  constructor(
    stages: readonly {
      readonly stage: string;
      readonly role: string;
      readonly steps: readonly PlanStep[];
    }[],
  ) {
    this.stages = new Map(stages.map(({ stage, steps }) => [stage, steps]));
    this.#roles = new Map(
      stages.map(({ stage, role }) => [stage, role === "observe" ? "" : ` (${role})`]),
    );
  }

  /** Returns a table with one line per hook and stage. */
  toString(): string {
    const lines: string[][] = [];
    for (const [stage, steps] of this.stages) {
      const title = stage + this.#roles.get(stage)!;
      if (steps.length === 0) lines.push([title, "-"]);
      for (const [i, { hook, matched, when, enabled }] of steps.entries()) {
        lines.push([i === 0 ? title : "", hook, when, matched + (enabled ? "" : " (disabled)")]);
      }
    }
    const widths = [0, 1, 2].map((i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
    return lines.map((line) =>
      line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd()
    ).join("\n");
  }
}
