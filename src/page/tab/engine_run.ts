/**
 * A run of dynamics or a relaxation in a tab.
 *
 * A pause ends the run of the engine; the next run of the same batch continues with the same bits, so that pausing
 * changes no result.
 *
 * @module
 */

import { largestForce } from "../../campaign/run/largest_force.ts";
import type { RunCommand, RunInfo, RunState, ViewerFrame } from "../protocol.ts";
import { hashOfPositions } from "./digest.ts";
import { exportOf, EXPORTS } from "./exports.ts";
import type { AtomMove, TabReceiver, TabRequest, TabResult, TabWork } from "./messages.ts";
import { moveAtom } from "./move_atom.ts";
import { openTabParts, type TabParts } from "./tab_engine.ts";
import { addTabHooks, hookRows, type TabLogs } from "./tab_hooks.ts";
import { TabTrajectory, viewerFrame } from "./trajectory.ts";

/** Reasons with which the engine is stopped. */
const PAUSED = "paused", STOPPED = "stopped by the user";

/** A run of dynamics or a relaxation. */
export class EngineRun implements TabWork {
  readonly #request: TabRequest;
  readonly #receiver: TabReceiver;
  readonly #parts: TabParts;
  readonly #trajectory: TabTrajectory;
  readonly #logs: TabLogs;
  readonly #begun = new Date().toISOString();
  #state: RunState = "running";
  #isPauseWanted: boolean;
  #isStopWanted = false;
  #resume: (() => void) | undefined;

  private constructor(request: TabRequest, receiver: TabReceiver, parts: TabParts) {
    this.#request = request;
    this.#receiver = receiver;
    this.#parts = parts;
    this.#isPauseWanted = request.isPaused === true;
    const warn = (message: string) => receiver.event({ type: "warning", message });
    this.#trajectory = new TabTrajectory(
      (count) => receiver.event({ type: "frames", count, live: parts.engine.stepCount }),
      warn,
    );
    this.#logs = addTabHooks(parts, this.#trajectory, receiver, (frame) => {
      receiver.live(frame);
      receiver.event({
        type: "frames",
        count: this.#trajectory.systems.length,
        live: frame.step ?? parts.engine.stepCount,
      });
      this.#show(this.#state);
    });
  }

  /** Reads the files, and opens the potential and the engine. Throws an error in words if the request is wrong. */
  static async open(request: TabRequest, receiver: TabReceiver): Promise<EngineRun> {
    const warn = (message: string) => receiver.event({ type: "warning", message });
    const run = new EngineRun(request, receiver, await openTabParts(request, warn));
    run.#show("running");
    run.#showNow();
    receiver.event({ type: "hooks", hooks: hookRows(run.#parts.engine) });
    return run;
  }

  async run(): Promise<TabResult> {
    try {
      await this.#segments();
    } catch (error) {
      this.#show("failed");
      throw error;
    }
    const result = await this.#result();
    this.#show(this.#isStopWanted ? "interrupted" : "completed");
    return result;
  }

  /** Runs to the next pause or move, until all steps are done. */
  async #segments(): Promise<void> {
    const { engine, batch, steps } = this.#parts, moves = [...this.#request.moves ?? []];
    for (;;) {
      while (moves.length > 0 && moves[0]!.step <= engine.stepCount) {
        await this.#apply(moves.shift()!);
      }
      if (this.#isPauseWanted) await this.#pause();
      if (this.#isStopWanted || engine.stepCount >= steps || this.#hasConverged()) return;
      const until = Math.min(steps, moves[0]?.step ?? Infinity);
      await engine.run(batch, until - engine.stepCount);
    }
  }

  #hasConverged(): boolean {
    const { batch, isMoving } = this.#parts;
    return !isMoving && batch.has("status") && batch.get("status").every((status) => status >= 1);
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#showNow();
    this.#show("paused");
    await promise;
    this.#resume = undefined;
    this.#isPauseWanted = false;
    if (!this.#isStopWanted) this.#show("running");
  }

  async command(command: RunCommand): Promise<void> {
    const { engine } = this.#parts;
    if (this.#state === "completed" || this.#state === "failed" || this.#state === "interrupted") {
      throw new Error(`Cannot ${command.action}: the run is over`);
    }
    switch (command.action) {
      case "pause":
        this.#isPauseWanted = true;
        if (this.#state === "running") engine.stop(PAUSED);
        break;
      case "stop":
        this.#isStopWanted = true;
        if (this.#resume === undefined) engine.stop(STOPPED);
        else this.#resume();
        break;
      case "resume":
        if (this.#resume === undefined) throw new Error("Cannot resume: the run is not paused");
        this.#resume();
        break;
      case "hook":
        if (command.enabled) engine.hooks.enable(command.name);
        else engine.hooks.disable(command.name);
        this.#receiver.event({ type: "hooks", hooks: hookRows(engine) });
    }
    this.#receiver.event({ type: "command", command, step: engine.stepCount });
    await Promise.resolve();
  }

  async move(move: Omit<AtomMove, "step">): Promise<void> {
    if (this.#state !== "paused") throw new Error("Cannot move an atom: pause the run first");
    await this.#apply({ ...move, step: this.#parts.engine.stepCount });
    this.#showNow();
  }

  /** Moves an atom to rest at a new position, and computes the forces there. */
  async #apply(move: AtomMove): Promise<void> {
    const { batch, engine, isMoving } = this.#parts;
    const far = moveAtom(batch, move);
    await engine.run(batch, 0);
    this.#receiver.moved(
      move,
      `Step ${move.step}: atom ${move.atom} was moved by ${far.toFixed(2)} Å${
        isMoving ? "; its velocity is 0 now, and others are unchanged" : ""
      }`,
    );
  }

  frame(index: number): ViewerFrame {
    const { systems } = this.#trajectory, system = systems[index];
    if (system === undefined) {
      throw new RangeError(`Cannot show frame ${index}: the trajectory has ${systems.length}`);
    }
    return viewerFrame(system);
  }

  async file(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { engine, batch } = this.#parts, isRunning = this.#state === "running";
    return await exportOf(path, {
      parts: this.#parts,
      logs: this.#logs,
      frames: this.#trajectory.systems,
      begun: this.#begun,
      checkpoint: () =>
        isRunning ? engine.betweenSteps(() => engine.takeCheckpoint()) : engine.takeCheckpoint(),
      final: async () => isRunning ? await engine.betweenSteps(() => batch.snapshot()) : batch,
    });
  }

  #showNow(): void {
    const { batch, engine } = this.#parts;
    const { stepCount: live } = engine;
    this.#receiver.live(viewerFrame(batch.system(0), live));
    this.#receiver.event({ type: "frames", count: this.#trajectory.systems.length, live });
  }

  #show(state: RunState): void {
    const { engine, steps, dt, batch, config, facts, isMoving } = this.#parts;
    this.#state = state;
    const run: RunInfo = {
      id: "tab",
      name: facts.structures.length === 1
        ? facts.structures[0]!.label
        : `${facts.structures.length} structures`,
      kind: isMoving ? "md" : "relax",
      state,
      step: engine.stepCount,
      steps,
      isControllable: true,
      systems: batch.size,
      config,
      files: EXPORTS.filter(({ needsTime }) => isMoving || !needsTime).map(({ path }) => ({
        path,
      })),
      ...dt !== undefined && { dt },
    };
    this.#receiver.event({ type: "info", run });
  }

  async #result(): Promise<TabResult> {
    const { engine, batch, isMoving } = this.#parts, step = engine.stepCount;
    const energies = Array.from(batch.get("energy")),
      hash = await hashOfPositions(batch.get("positions"));
    const fmax = Math.max(...energies.map((_, i) => largestForce(batch, i)));
    const status = isMoving ? "" : this.#hasConverged() ? "converged, " : "not converged, ";
    const sum = energies.reduce((a, b) => a + b, 0);
    return {
      step,
      hash,
      device: engine.device?.device ?? "wasm",
      text: `${status}${step} steps, energy ${sum.toFixed(6)} eV${
        isMoving ? "" : `, fmax ${fmax.toPrecision(3)} eV/Å`
      }`,
    };
  }

  /** Closes the engine and the potential. */
  async close(): Promise<void> {
    await this.#parts.engine.close();
    await this.#parts.potential[Symbol.asyncDispose]();
  }
}
