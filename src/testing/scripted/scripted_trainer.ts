/**
 * A trainer without a model, for tests of hooks.
 *
 * @module
 */

import type { HookWarning, Outcome } from "../../hooks/protocol/outcome.ts";
import { Loop } from "../../hooks/loop/loop.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { HookSet, Names } from "../../hooks/registry/hook_set.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { SavedLoop } from "../../hooks/registry/saved.ts";
import type {
  OptimizerSettings,
  ParameterInfo,
  ParameterValues,
  TrainerControl,
  TrainerStatus,
} from "../../training/context.ts";
import { TrainingStage } from "../../training/stages.ts";
import type {
  TrainingHooks,
  TrainingHooksOf,
  TrainingKind,
} from "../../training/trainer_options.ts";
import { type LiveOptimizer, liveOptimizers } from "./scripted_optimizer.ts";
import { scriptedFields, type ScriptedState } from "./scripted_fields.ts";
import { ScriptedSteps } from "./scripted_steps.ts";
import type { ScriptParts, TrainingScript } from "./training_script.ts";

/** Saved state of a scripted trainer. */
export interface SavedScript {
  /** Counters of the loop, and the state of hooks. */
  readonly loop: SavedLoop;
  /** Number of finished epochs. */
  readonly epoch: number;
}

/**
 * A trainer whose losses, metrics and gradients come from a script. Everything else that hooks see works as in a
 * `Trainer`.
 */
export interface TestTrainer extends Workflow, TrainerControl {
  /** Hooks of the trainer. */
  readonly hooks: HookSet<TrainingKind>;
  /** Optimizers, with the groups that hooks write. */
  readonly optimizers: readonly OptimizerSettings[];
  /** Current values of the parameters. */
  readonly values: ReadonlyMap<string, Float32Array>;
  /** Paths of the checkpoints that hooks have requested. No file is written, but CHECKPOINT_SAVE fires. */
  readonly checkpoints: readonly string[];
  /** Outcome of the last run; `undefined` before the first run has ended. */
  readonly outcome: Outcome | undefined;
  /**
   * Runs the remaining epochs of the script. Rejects if a batch of the script has an Error, or if a hook fails the
   * run.
   */
  train(): Promise<Outcome>;
  /** Returns the position in the script and the state of hooks as plain data. */
  save(): SavedScript;
  /** Continues from a saved state. Throws a TypeError if the state is invalid. */
  load(saved: SavedScript): void;
}

/**
 * Creates a trainer that follows a script, for tests of hooks without a model. Its stages have the same order and
 * the same contexts as those of a `Trainer`. Parameters descend along the scripted gradients.
 *
 * A hook that throws fails the run, whatever its error policy, unless `onWarning` is given: a test should not miss
 * errors.
 *
 * @throws {TypeError} if the script has no epochs
 * @throws {RangeError} if an epoch has no batches, or a group names unknown parameters
 *
 * @example Test a hook that halves learning rates after ten high losses
 * ```ts
 * import { scriptedTrainer } from "@hooke/hooke/testing";
 * import { type TrainingContext, TrainingStage } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * class HalveRates {
 *   readonly stage = TrainingStage.BATCH_END;
 *   readonly frequency = 1;
 *   readonly reads = ["loss"] as const;
 *   readonly writes = ["optimizers"] as const;
 *   high = 0;
 *   call(ctx: TrainingContext<"loss", "optimizers">) {
 *     if (ctx.read.loss <= 5 || ++this.high <= 10) return;
 *     for (const { groups } of ctx.write.optimizers) for (const group of groups) group.lr *= 0.5;
 *   }
 * }
 * const trainer = scriptedTrainer({ epochs: [{ losses: Array(11).fill(15) }], lr: 1e-3 });
 * trainer.hooks.add(new HalveRates());
 * await trainer.train();
 * assertEquals(trainer.optimizers[0]?.groups[0]?.lr, 0.0005);
 * ```
 */
export function scriptedTrainer<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
>(
  script: TrainingScript<H, N, W>,
): TestTrainer {
  checkScript(script);
  return new Scripted(script, (script.hooks ?? []) as TrainingHooks);
}

function checkScript(script: unknown): void {
  const action = "script a trainer";
  if (!isObject(script) || !Array.isArray(script.epochs)) {
    throw new TypeError(complaint(action, "its script must have epochs", script));
  }
  for (const [i, epoch] of (script.epochs as TrainingScript["epochs"]).entries()) {
    if (Array.isArray(epoch?.losses) && epoch.losses.length > 0) continue;
    throw new RangeError(complaint(action, `epoch ${i} must have losses`, epoch?.losses));
  }
}

class Scripted implements TestTrainer {
  readonly name: string;
  readonly values: ReadonlyMap<string, Float32Array>;
  readonly optimizers: readonly LiveOptimizer[];
  readonly checkpoints: string[] = [];
  readonly state: ScriptedState;
  outcome: Outcome | undefined;
  readonly config: unknown;
  readonly #script: ScriptParts;
  readonly #loop: Loop<TrainingKind>;
  readonly #steps: ScriptedSteps;
  /** Errors of hooks whose policy would let the run go on. */
  readonly #thrown: HookWarning[] = [];

  constructor(script: ScriptParts, hooks: TrainingHooks) {
    const { lr = 1e-3, weightDecay = 0, momentum = 0, parameters = { w: [0] } } = script;
    this.#script = script;
    this.name = script.name ?? "scripted";
    this.config = script.config;
    this.values = new Map(
      Object.entries(parameters).map(([name, numbers]) => [name, Float32Array.from(numbers)]),
    );
    const names = [...this.values.keys()];
    const rates = { lr, weightDecay, momentum };
    this.optimizers = liveOptimizers(script.optimizers ?? [[{}]], names, rates);
    this.state = this.#makeState();
    this.#loop = this.#makeLoop();
    this.#steps = new ScriptedSteps(script, { ...this.#parts(), loop: this.#loop });
    for (const hook of hooks) this.#loop.hooks.add(hook as never);
  }

  get hooks(): HookSet<TrainingKind> {
    return this.#loop.hooks;
  }

  get stepCount(): number {
    return this.#loop.stepCount;
  }

  get parameters(): readonly ParameterInfo[] {
    return [...this.values].map(([name, { length }]) => ({
      name,
      dims: [length],
      size: length,
      optimizer: this.optimizers.findIndex(({ groups }) =>
        groups.some(({ parameters }) => parameters.includes(name))
      ),
    }));
  }

  async train(): Promise<Outcome> {
    const isOver = this.state.currentEpoch >= this.#script.epochs.length;
    this.#thrown.length = 0;
    try {
      this.outcome = await this.#loop.run(isOver ? 0 : Infinity);
      for (const warning of this.#thrown) throw failure(warning);
      return this.outcome;
    } catch (error) {
      this.outcome = { status: "failed", error };
      throw error;
    }
  }

  parameter(name: string, of: ParameterValues = "parameters"): Promise<Float32Array> {
    const numbers = (of === "gradients" ? this.#steps.gradients : this.values).get(name);
    if (numbers !== undefined) return Promise.resolve(numbers.slice());
    const names = [...this.values.keys()];
    const requirement = `it must be one of ${names.join(", ")}`;
    return Promise.reject(
      new RangeError(complaint(`read a parameter's ${of}`, requirement, name, names)),
    );
  }

  stop(reason: string): void {
    this.#loop.stop(reason);
  }

  checkpointSoon(path: string): void {
    this.#steps.wanted.push(path);
  }

  validateSoon(): void {
    this.#steps.wantsValidation = true;
  }

  save(): SavedScript {
    return { loop: this.#loop.save(), epoch: this.state.currentEpoch };
  }

  load({ loop, epoch }: SavedScript): void {
    this.#loop.load(loop);
    this.state.currentEpoch = epoch;
    this.state.currentBatchIdx = 0;
  }

  /** Records an error of a hook, and stops the run. */
  #failed(warning: HookWarning): void {
    this.#thrown.push(warning);
    this.#loop.stop("a hook has thrown");
  }

  #parts(): Omit<ConstructorParameters<typeof ScriptedSteps>[1], "loop"> {
    const { state, optimizers, values, checkpoints } = this;
    return { state, optimizers, values, checkpoints };
  }

  #makeState(): ScriptedState {
    const steps = () => this.stepCount, sizes = [...this.values.values()];
    return {
      model: this.name,
      optimizer: this.optimizers,
      device: "script",
      currentEpoch: 0,
      currentBatchIdx: 0,
      latestLoss: NaN,
      avgLoss: NaN,
      status: "idle" as TrainerStatus,
      samplesSeen: 0,
      tokensSeen: 0,
      metrics: {},
      modelParams: sizes.reduce((sum, { length }) => sum + length, 0),
      get step() {
        return steps();
      },
    };
  }

  #makeLoop(): Loop<TrainingKind> {
    const steps = () => this.#steps, { onWarning } = this.#script;
    const { optimizers, values, state } = this;
    const moment = {
      get loss() {
        return state.latestLoss;
      },
      get gradNorm() {
        return steps().norm;
      },
      get lr() {
        return optimizers[0]!.groups[0]!.lr;
      },
      get gradients() {
        return steps().gradients;
      },
      optimizers,
      parameters: values,
      activations: new Map(Object.entries(this.#script.activations ?? {})),
    };
    const { schedule = { factor: () => 1 } } = this.#script;
    return new Loop<TrainingKind>({
      kinds: TrainingStage,
      workflow: this,
      context: {
        epoch: 0,
        phase: "train",
        state,
        trainer: this,
        optimizers,
        lrSchedulers: optimizers.map(() => schedule),
        config: this.config,
        run: undefined,
      },
      state: scriptedFields(moment),
      begin: () => this.#steps.begin(),
      step: () => this.#steps.step(),
      end: () => this.#steps.between(),
      settled: () => this.#steps.close(this.#loop.outcome),
      recover: (error: unknown) => this.#steps.fail(error),
    }, {
      name: this.name,
      onWarning: onWarning ?? ((warning) => this.#failed(warning)),
    });
  }
}

function failure({ hook, stage, step, error }: HookWarning): Error {
  return new Error(
    `Cannot train by a script: hook ${hook} has thrown at ${stage}, step ${step}: ${error}`,
    { cause: error },
  );
}
