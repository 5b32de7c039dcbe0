/**
 * Lists of registered hooks, for users and for logs.
 *
 * @module
 */

/** One registered hook. */
export interface HookListing {
  /** Name of the hook. */
  readonly name: string;
  /** True if the hook is enabled. */
  readonly enabled: boolean;
  /** The stages at which it runs. */
  readonly stages: readonly string[];
  /** Frequency of the hook's schedule, in counts. */
  readonly frequency: number;
  /** Position in the order of execution, counted from 0. */
  readonly order: number;
  /** Band in which the hook was registered. */
  readonly band: "first" | "normal" | "last";
  /** The matched overload at each stage, as text, by stage. */
  readonly overloads: Readonly<Record<string, string>>;
  /** True if only `otherwise` of the hook matched, because the hook has no handler for the kinds of this engine. */
  readonly isFallback: boolean;
  /** Names of the fields that the hook reads. */
  readonly reads: readonly string[];
  /** Names of the fields that the hook writes. */
  readonly writes: readonly string[];
  /** Number of errors that the hook has thrown. */
  readonly errors: number;
}

/** One hook at one stage of a {@linkcode Plan}. */
export interface PlanStep {
  /** Name of the hook. */
  readonly hook: string;
  /** The matched overload, as text. */
  readonly matched: string;
  /** Schedule of the hook at this stage as text, such as `every 10 steps`. */
  readonly when: string;
  /** True if the hook is enabled. */
  readonly enabled: boolean;
}

/**
 * The hooks of each stage, in the order of execution. `String(plan)` is a table.
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
  /** Map from stage to its hooks, in the order of execution. It includes stages without hooks. */
  readonly stages: ReadonlyMap<string, readonly PlanStep[]>;
  readonly #roles: ReadonlyMap<string, string>;

  /** Creates a plan. Only the registry calls this; users get a plan from `hooks.plan()`. */
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
