/**
 * Fine-tuning of a potential in a tab.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { checkTargets } from "../../cli/train/targets.ts";
import type { TrainSettings } from "../../cli/train/settings.ts";
import { tuneOptions } from "../../cli/train/tune_options.ts";
import type { Structure } from "../../cli/run/structures.ts";
import { reportText } from "../../config/report/report.ts";
import { reportContent } from "../../config/report/report_content.ts";
import { parseRunLog } from "../../config/runs/parse_run_log.ts";
import { runLog } from "../../config/runs/run_log.ts";
import { Reporter } from "../../observe/reporter/reporter.ts";
import { EarlyStopping } from "../../observe/training/early_stopping.ts";
import { NanGuard } from "../../observe/training/nan_guard.ts";
import type { TrainerCore } from "../../training/trainer.ts";
import { fineTune } from "../../training/tuning/fine_tune.ts";
import type { FineTuned } from "../../training/tuning/fine_tune_options.ts";
import type { RunCommand, RunState, ViewerFrame } from "../protocol.ts";
import type { TabReceiver, TabRequest, TabResult, TabWork } from "./messages.ts";
import { readTabSettings } from "./settings.ts";
import { readTabStructures } from "./structures.ts";
import { hookRows, scalarsOf } from "./tab_hooks.ts";
import { viewerFrame } from "./trajectory.ts";

/** Shortest time between two reports of progress, ms. */
const INTERVAL = 100;

/** A fine-tuning. */
export class TuneRun implements TabWork {
  readonly #request: TabRequest;
  readonly #receiver: TabReceiver;
  readonly #structures: readonly Structure[];
  readonly #reporter: Reporter;
  readonly #records: string[] = [];
  #trainer: TrainerCore | undefined;
  #resume: (() => void) | undefined;
  #tuned: FineTuned | undefined;
  #state: RunState = "running";

  private constructor(
    request: TabRequest,
    receiver: TabReceiver,
    structures: readonly Structure[],
  ) {
    this.#request = request;
    this.#receiver = receiver;
    this.#structures = structures;
    let next = 0;
    this.#reporter = new Reporter({
      reporters: [{
        name: "page",
        report: (snapshot) => {
          receiver.event(scalarsOf(snapshot));
          if (performance.now() < next) return;
          next = performance.now() + INTERVAL;
          this.#show(this.#state);
        },
      }],
    });
  }

  /** Reads the files. Throws an error in words if the request is wrong. */
  static async open(request: TabRequest, receiver: TabReceiver): Promise<TuneRun> {
    if (request.model === undefined) {
      throw new RangeError("Cannot fine-tune without a potential: drop its .onnx file, too");
    }
    const settings = readTabSettings("fine-tune", request.settings);
    const structures = await readTabStructures(request.files, {
      onWarning: (message) => receiver.event({ type: "warning", message }),
    });
    checkTargets("fine-tune", structures, settings);
    const run = new TuneRun(request, receiver, structures);
    run.#show("running");
    receiver.live(viewerFrame(structures[0]!.system));
    receiver.event({ type: "frames", count: structures.length });
    return run;
  }

  async run(): Promise<TabResult> {
    const settings = readTabSettings("fine-tune", this.#request.settings);
    try {
      this.#tuned = await this.#tune(settings);
    } catch (error) {
      this.#show("failed");
      throw error;
    }
    const { outcome, before, after } = this.#tuned;
    this.#show(outcome.status === "stopped" ? "interrupted" : "completed");
    const shown = ([name, text]: readonly [string, string]) => {
      const [from, to] = [before?.[name], after?.[name]];
      return to === undefined ? [] : [`${text} ${from?.toPrecision(3)} → ${to.toPrecision(3)}`];
    };
    const names = [
      ["val/loss", "validation loss"],
      ["val/energyMAE", "energy MAE (meV/atom)"],
      ["val/forcesMAE", "forces MAE (meV/Å)"],
    ] as const;
    const step = this.#trainer?.stepCount ?? 0;
    return {
      step,
      device: settings.device === "auto" ? "wasm" : String(settings.device),
      text: [`${step} steps`, ...names.flatMap(shown)].join(", "),
    };
  }

  #tune(settings: TrainSettings): Promise<FineTuned> {
    const { model, manifest } = this.#request, receiver = this.#receiver;
    const { device, ...options } = tuneOptions(settings, {
      structures: this.#structures,
      valid: settings.validFraction,
    });
    return fineTune({
      ...options,
      // Trainings run on wasm unless the user asks for another device.
      ...device !== undefined && device !== "auto" && { device },
      model: model!.bytes,
      manifest: { ...manifestOf(manifest?.bytes), ...settings.modelOptions },
      onWarning: ({ error }) =>
        receiver.event({
          type: "warning",
          message: error instanceof Error ? error.message : String(error),
        }),
      hooks: [
        runLog({
          config: this.#config(),
          commit: "unknown",
          write: (line) => void this.#records.push(line),
        }),
        new NanGuard(),
        ...settings.patience === undefined
          ? []
          : [new EarlyStopping({ patience: settings.patience })],
        this.#reporter,
      ] as never,
      prepare: (trainer) => {
        this.#trainer = trainer;
        receiver.event({ type: "hooks", hooks: hookRows(trainer) });
      },
    });
  }

  async command(command: RunCommand): Promise<void> {
    const trainer = this.#trainer;
    if (trainer === undefined) throw new Error(`Cannot ${command.action}: the run has not begun`);
    if (this.#tuned !== undefined) throw new Error(`Cannot ${command.action}: the run is over`);
    switch (command.action) {
      case "pause":
        void trainer.betweenSteps(() => this.#hold());
        break;
      case "stop":
        trainer.stop("stopped by the user");
        this.#resume?.();
        break;
      case "resume":
        if (this.#resume === undefined) throw new Error("Cannot resume: the run is not paused");
        this.#resume();
        break;
      case "hook":
        if (command.enabled) trainer.hooks.enable(command.name);
        else trainer.hooks.disable(command.name);
        this.#receiver.event({ type: "hooks", hooks: hookRows(trainer) });
    }
    this.#receiver.event({ type: "command", command, step: trainer.stepCount });
    await Promise.resolve();
  }

  async #hold(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#show("paused");
    await promise;
    this.#resume = undefined;
    this.#show("running");
  }

  move(): Promise<void> {
    return Promise.reject(new Error("Cannot move an atom: a training has no atoms of its own"));
  }

  frame(index: number): ViewerFrame {
    const structure = this.#structures[index];
    if (structure === undefined) {
      throw new RangeError(
        `Cannot show frame ${index}: there are ${this.#structures.length} frames`,
      );
    }
    return viewerFrame(structure.system);
  }

  file(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.try(() => this.#make(path));
  }

  #make(path: string): Uint8Array<ArrayBuffer> {
    if (path === "report.html") return this.#report();
    const tuned = this.#tuned;
    if (tuned === undefined) {
      throw new Error(`Cannot make ${path}: wait for the end of the training, or stop it`);
    }
    if (path === "model.onnx") return tuned.model;
    if (path === "model.json") {
      return new TextEncoder().encode(`${JSON.stringify(tuned.manifest, null, 2)}\n`);
    }
    throw new RangeError(`Cannot make ${path}: the run has no such file`);
  }

  #report(): Uint8Array<ArrayBuffer> {
    const records = parseRunLog(this.#records.join(""));
    const { history } = this.#reporter, config = this.#config();
    const content = reportContent({ name: `fine-tune ${config.model}`, records, history, config });
    return new TextEncoder().encode(reportText(content));
  }

  #config(): Readonly<Record<string, unknown>> {
    const { files, model, settings } = this.#request;
    return {
      command: "fine-tune",
      model: model!.name,
      files: files.map(({ name }) => name),
      ...settings,
    };
  }

  #show(state: RunState): void {
    this.#state = state;
    const files = ["report.html", ...this.#tuned === undefined ? [] : ["model.onnx", "model.json"]];
    const config = this.#config();
    this.#receiver.event({
      type: "info",
      run: {
        id: "tab",
        name: String(config.model),
        kind: "train",
        state,
        step: this.#trainer?.stepCount ?? 0,
        isControllable: this.#tuned === undefined,
        systems: this.#structures.length,
        config,
        files: files.map((path) => ({ path })),
      },
    });
  }
}

function manifestOf(bytes: Uint8Array | undefined): object {
  if (bytes === undefined) return {};
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isObject(manifest)) return manifest;
  } catch {
    // The error below says what is expected.
  }
  throw new SyntaxError("Cannot read the manifest: its file must be a JSON object");
}
