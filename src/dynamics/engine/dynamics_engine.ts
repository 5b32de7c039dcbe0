/**
 * The engine that the loop of `Dynamics` drives.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { inOrder, isThenable, resultAfter } from "../../base/sequence.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { type Engine, Loop } from "../../hooks/loop/loop.ts";
import type { DeviceWorker } from "../../hooks/run/device_work.ts";
import type { Model } from "../../models/model.ts";
import type { Constraint } from "../constraints/constraint.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { type DynamicsBase, DynamicsStage } from "../stages.ts";
import type { BatchRun } from "../step/batch_run.ts";
import { ReportedEvents } from "../step/reported_events.ts";
import type { RunSettings } from "../step/run_engine.ts";
import type { WithKernels } from "../step/step_parts.ts";
import { BatchPlace } from "./batch_place.ts";
import type { DynamicsKind, DynamicsOptions } from "./dynamics_options.ts";
import { EngineDevice } from "./engine_device.ts";
import type { Stability } from "../divergence/stability.ts";
import { DynamicsFields } from "./fields.ts";
import { HeldBatch } from "./held_batch.ts";

/** Settings of a `DynamicsEngine`. */
export interface EngineSettings {
  /** Name of the engine in listings, logs and errors. */
  readonly name: string;
  /** The integrator, which moves the atoms. */
  readonly integrator: Integrator;
  /** The model, which computes the forces. */
  readonly model: Model;
  /** Options that the user has passed. */
  readonly options: DynamicsOptions;
  /** The public engine, which hooks receive as `ctx.workflow`. */
  readonly workflow: Workflow;
  /** Returns the context fields for a batch. */
  contextOf(batch: Batch): object;
}

/**
 * Runs the steps of a batch for a loop: single steps with `BatchRun.steps`, and many steps in one call with
 * `BatchRun.multiStep`. Between the steps, the current stream admits and removes systems.
 */
export class DynamicsEngine implements Engine<DynamicsKind> {
  readonly kinds: DynamicsKind = DynamicsStage;
  readonly context: DynamicsBase;
  readonly state: DynamicsFields;
  readonly worker: DeviceWorker;
  readonly workflow: Workflow;
  /** Name of the engine in listings, logs and errors. */
  readonly name: string;
  /** The integrator, which moves the atoms. */
  readonly integrator: Integrator;
  /** The device on which the engine runs. */
  readonly device: EngineDevice;
  /** The loop, which counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
  /** The batch on the device. */
  readonly place: BatchPlace;
  /** Lends the fields of the batch on the host to a run, and takes the results back. */
  readonly held: HeldBatch;
  /** Detects runs that are not physical; `undefined` before the first run whose steps take time. */
  #stability: Stability | undefined;
  readonly #isStrict: boolean;
  /** Settings of the current run. */
  readonly running: RunSettings = { stream: undefined, isByHand: false };
  /** Constraints of the options. */
  readonly #constraints: readonly Constraint[];

  /** Throws a TypeError or RangeError if the device does not exist. */
  constructor(
    { name, integrator, model, options, workflow, contextOf }: EngineSettings,
  ) {
    this.name = name;
    this.#constraints = [...options.constraints ?? []];
    this.integrator = integrator;
    this.workflow = workflow;
    // The first batch adds the other fields, before any hook runs.
    this.context = { model } as DynamicsBase;
    this.device = new EngineDevice(name, options);
    this.state = new DynamicsFields(
      fieldsOf(options),
      () => this.current,
      () => this.device.isHost,
    );
    this.worker = this.#makeWorker();
    const { signal, onWarning, verify } = options;
    this.loop = new Loop<DynamicsKind>(this, {
      name,
      ...(signal && { signal }),
      ...(onWarning && { onWarning }),
      ...(verify && { verify }),
    });
    const { loop, device, running } = this, reported = new ReportedEvents();
    this.place = new BatchPlace({
      engine: {
        name,
        integrator,
        constraints: this.#constraints,
        hasFileConstraints: options.fileConstraints !== false,
        model,
        loop,
        running,
        reported,
      },
      device,
      entered: (batch) => void Object.assign(loop.context, contextOf(batch)),
    });
    this.held = new HeldBatch(this);
    this.#isStrict = options.strict === true;
  }

  #makeWorker(): DeviceWorker {
    return {
      work: (hook, stage, part) =>
        this.current.work.work(hook as WithKernels, stage as DynamicsStage, part),
      changed: () => this.place?.run?.forgetPlan(),
    };
  }

  /** Constraints from the options and, once the engine has a batch, also from the files of its systems. */
  get constraints(): readonly Constraint[] {
    return this.place.run?.constraints ?? this.#constraints;
  }

  /** The batch on the device. Throws an Error before the first run. */
  get current(): BatchRun {
    if (this.place.run !== undefined) return this.place.run;
    throw new Error(
      `Cannot read the state of ${this.name}: it has no batch yet. Run a batch first`,
    );
  }

  /** Begins a run: computes the first forces, and starts the checks of a run that takes time. */
  async begin(): Promise<void> {
    this.place.fallback.begin();
    await this.current.begin();
    await this.running.stream?.begin();
    if (this.integrator.dt === undefined) return; // steps of a relaxation take no time
    const stability = this.#stability ??= await this.#openStability();
    if (this.running.isByHand) return stability.beginStep(this.current);
    stability.begin(this.current);
  }

  async #openStability(): Promise<Stability> {
    const { Stability } = await import("../divergence/stability.ts");
    return new Stability(this, this.#isStrict);
  }

  /**
   * Runs one step. First samples the velocities and takes a snapshot, if they are due. Afterwards the stream removes
   * and admits systems.
   */
  step(): void | PromiseLike<void> {
    const { place, running: { stream } } = this;
    const { stepCount } = this.loop, stability = this.#stability;
    if (stability !== undefined && stepCount >= stability.next) stability.look(place.run!);
    place.run!.countable(1);
    const taking = place.fallback.takeIfDue(place.run!);
    // The usual case creates no closures, because it runs for each step at which a hook is due.
    if (taking === undefined && stream === undefined) return place.run!.steps.step();
    return inOrder(
      () => taking,
      () => place.run!.steps.step(),
      () => stream?.stepped(1),
    );
  }

  /** Runs up to `n` steps in which no hook is due. Returns the number of steps done. */
  multiStep(_loop: unknown, n: number): number | PromiseLike<number> {
    const { place, running: { stream } } = this;
    const { stepCount } = this.loop, stability = this.#stability;
    if (stability !== undefined && stepCount >= stability.next) stability.look(place.run!);
    const taking = place.fallback.takeIfDue(place.run!);
    const most = place.run!.countable(Math.min(n, stability?.limit(stepCount) ?? n));
    const free = stream === undefined ? most : Math.min(most, stream.free());
    // The usual case creates no closures, because it runs for each multi-step call.
    if (taking !== undefined) return this.#multiStepAfter(taking, free);
    const running = place.run!.multiStep.run(free);
    return stream === undefined ? running : this.#stepped(running);
  }

  /** Runs up to `n` steps after the pending snapshot of the batch has been taken. */
  #multiStepAfter(taking: PromiseLike<void>, n: number): PromiseLike<number> {
    const { place, running: { stream } } = this;
    const running = taking.then(() => place.run!.multiStep.run(n));
    return stream === undefined ? running : this.#steppedAfter(running);
  }

  /** Reports the number of steps done to the stream, and returns it. */
  #stepped(running: number | PromiseLike<number>): number | PromiseLike<number> {
    if (isThenable(running)) return this.#steppedAfter(running);
    return resultAfter(this.running.stream!.stepped(running), running);
  }

  #steppedAfter(running: PromiseLike<number>): PromiseLike<number> {
    return running.then((done) => this.#stepped(done));
  }

  /** Ends a run: updates the values that hooks read after the last step, and runs the final checks. */
  async end(): Promise<void> {
    this.running.stream?.end();
    await this.current.end();
    await this.#stability?.end(this.current);
  }

  /**
   * Downloads the results of a run, after computing the energies if the last step did not. They are copied to the
   * batch when the run ends.
   */
  async settled(): Promise<void> {
    await this.current.evaluator.refresh();
    await this.held.takeHome();
  }

  /**
   * Continues on wasm if the device that `"auto"` had picked is lost. Returns the number of steps done at the
   * snapshot from which the run continues, or `undefined` if the error has another cause.
   */
  async recover(error: unknown): Promise<number | undefined> {
    const step = await this.place.recover(error);
    if (step !== undefined) this.running.stream?.goBack();
    return step;
  }

  /** Returns whether an error means that the device is lost. */
  isFatal(error: unknown): boolean {
    return this.device.lossIn(error) !== undefined;
  }
}

/** Returns the names of the custom fields of the user and the model. */
function fieldsOf({ fields = [], model }: DynamicsOptions): string[] {
  const own = fields.map((field) => typeof field === "string" ? field : field.field);
  return [...own, ...model.fields ?? []];
}
