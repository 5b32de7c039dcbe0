/**
 * Measures trainers without peers, in a separate process: `alone.ts CASE` prints JSON. The cases are:
 * - `session`: a step of the two-layer network, and the run of its gradient graph with the same tensors: ms each
 * - `idle`: that step with 20 hooks that are not due, and without hooks: ms each
 * - `monitor`: that step with gradients monitored every 100 steps, and without: ms each
 * - `memory`: bytes by which the process grows in 1e4 steps of a smaller network
 *
 * @module
 */

import { GradientMonitor } from "../../src/observe/training/gradient_monitor.ts";
import type { Feeds, Fetches } from "../../src/onnx/session/session_tensor.ts";
import type { Session } from "../../src/onnx/session/session_run.ts";
import type { TrainingContext } from "../../src/training/stages.ts";
import { TrainingStage } from "../../src/training/stages.ts";
import { watchSessions } from "../gpu/session_calls.ts";
import { takeTurns } from "../turns.ts";
import { mlpInput } from "./inputs.ts";
import { type Network, openNetwork } from "./networks.ts";

/** Steps in a turn, turns of each, and steps before. */
const STEPS = 100, TURNS = 15, WARM = 300;
const IDLE = 20;

/** A hook that is due once, at a step that no run comes to. */
class Idle {
  readonly stage: TrainingStage;
  readonly frequency = 1;
  readonly after = 1e9;

  constructor(stage: TrainingStage) {
    this.stage = stage;
  }

  call(_ctx: TrainingContext): void {
    throw new Error("Cannot time hooks that are not due: none must be called: one was");
  }
}

async function session(): Promise<unknown> {
  const { trainer, batch } = await openNetwork(mlpInput());
  await steps({ trainer, batch }, WARM);
  const kept: { call?: { session: Session; feeds: Feeds; fetches: Fetches | undefined } } = {};
  watchSessions((call) => void (kept.call ??= call));
  await trainer.step(batch);
  const { session, feeds, fetches } = kept.call!;
  return await takeTurns({
    ours: () => steps({ trainer, batch }, STEPS),
    alone: async () => {
      for (let i = 0; i < STEPS; i++) await session.run(feeds, fetches);
    },
  }, { turns: TURNS, events: STEPS });
}

/** The same trainer with hooks and without, in turn: two would lie elsewhere in memory. */
async function hooked(hooks: readonly object[]): Promise<unknown> {
  const { trainer, batch } = await openNetwork(mlpInput());
  const handles = hooks.map((hook) => trainer.hooks.add(hook as Idle));
  await steps({ trainer, batch }, WARM);
  const turn = (isOn: boolean) => async () => {
    for (const handle of handles) isOn ? handle.enable() : handle.disable();
    await steps({ trainer, batch }, STEPS);
  };
  return await takeTurns({ ours: turn(true), alone: turn(false) }, { turns: TURNS, events: STEPS });
}

async function memory(): Promise<unknown> {
  const { trainer, batch } = await openNetwork(mlpInput());
  const collect = (globalThis as { gc?: () => void }).gc!;
  const size = () => {
    collect();
    return Deno.memoryUsage().rss;
  };
  await steps({ trainer, batch }, 2000);
  const before = size();
  await steps({ trainer, batch }, 1e4);
  return { bytes: size() - before };
}

async function steps({ trainer, batch }: Network, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await trainer.step(batch);
}

/** Stages of a step, those that observe. */
const STAGES = [
  TrainingStage.BATCH_BEGIN,
  TrainingStage.AFTER_FORWARD,
  TrainingStage.AFTER_LOSS,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
  TrainingStage.BATCH_END,
];

const CASES: Readonly<Record<string, () => Promise<unknown>>> = {
  session,
  idle: () => hooked(Array.from({ length: IDLE }, (_, i) => new Idle(STAGES[i % STAGES.length]!))),
  monitor: () => hooked([new GradientMonitor({ logFrequency: 100, write: () => {} })]),
  memory,
};

if (import.meta.main) console.log(JSON.stringify(await CASES[Deno.args[0]!]!()));
