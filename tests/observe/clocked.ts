import {
  type BaseContext,
  defineKind,
  DynamicsStage,
  Loop,
  type StageKind,
  TrainingStage,
} from "@hooke/hooke";
import type { Observe } from "@hooke/hooke/hooks";

/** A clock that advances only by the ticks of a test. */
export class Clock {
  /** Time in ms. */
  time: number;
  readonly now = (): number => this.time;

  constructor(time = 0) {
    this.time = time;
  }

  /** Advances the clock by some ms. */
  tick(ms: number): void {
    this.time += ms;
  }
}

interface PipelineStages {
  readonly BEFORE_PROCESS: Observe<BaseContext>;
  readonly AFTER_PROCESS: Observe<BaseContext>;
  readonly ON_REFILL: Observe<BaseContext>;
}

/** A kind that the profiler does not know. */
export const PipelineStage: StageKind<"pipeline", PipelineStages> = defineKind("pipeline", {
  BEFORE_PROCESS: "observe",
  AFTER_PROCESS: "observe",
  ON_REFILL: "observe",
});

/** A loop that may fire any stage of three kinds. */
export type AnyLoop = Loop<typeof DynamicsStage | typeof TrainingStage | typeof PipelineStage>;

/** A loop over stages of all three kinds. */
export function anyLoop(step: (loop: AnyLoop) => void | Promise<void>, name = "loop"): AnyLoop {
  const kinds = [DynamicsStage, TrainingStage, PipelineStage];
  return new Loop({ kinds, context: { epoch: 0 }, step }, { name });
}

/** A loop whose step alternates waits in ms and stages. */
export function scripted(
  clock: Clock,
  script: (step: number) => readonly (number | Parameters<AnyLoop["fire"]>[0])[],
  name?: string,
): AnyLoop {
  return anyLoop((loop) => {
    for (const each of script(loop.stepCount)) {
      if (typeof each === "number") clock.tick(each);
      else loop.fire(each);
    }
  }, name);
}

/** Rows of a summary in short: `A→B count mean`, without the names of kinds if both are of one kind. */
export function counts(
  { transitions }: {
    transitions: readonly { from: string; to: string; count: number; mean: number }[];
  },
): string[] {
  return transitions.map(({ from, to, count, mean }) =>
    `${from}→${to} ${count}× ${Number(mean.toFixed(9))}`
  );
}
