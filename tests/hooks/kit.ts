/** A kind with every role, and loops over it, for the tests of the hook core. */
import {
  type BaseContext,
  defineKind,
  type Engine,
  type Gate,
  Loop,
  type LoopOptions,
  type Observe,
  type Pipe,
  type Replace,
  type StageKind,
} from "@hooke/hooke/hooks";

export interface WorkContext extends BaseContext {
  readonly total: number;
}

export interface WorkStages {
  readonly BEFORE: Observe<WorkContext>;
  readonly AMOUNT: Pipe<WorkContext, number>;
  readonly MAY_WORK: Gate<WorkContext>;
  readonly WORK: Replace<WorkContext, number>;
  readonly AFTER: Observe<WorkContext>;
  readonly ON_FULL: Observe<WorkContext & { readonly by: number }>;
  readonly EPOCH_END: Observe<WorkContext>;
}

export interface WorkFields {
  readonly heights: Float64Array;
  readonly depths: Float64Array;
}

/** Stages of every role, an event, and one with a counter of its own. */
export const WorkStage: StageKind<"work", WorkStages, WorkFields> = defineKind("work", {
  BEFORE: "observe",
  AMOUNT: "pipe",
  MAY_WORK: "gate",
  WORK: "replace",
  AFTER: "observe",
  ON_FULL: "observe",
  EPOCH_END: "observe",
}, { counters: { EPOCH_END: "epoch" } });

export type WorkLoop = Loop<typeof WorkStage>;

/** Options of the loop, and what its engine has besides its stages. */
type WorkOptions =
  & LoopOptions<typeof WorkStage>
  & Partial<
    Pick<Engine<typeof WorkStage>, "state" | "worker" | "coming" | "recover" | "isFatal" | "step">
  >;

/** A loop that fires every stage of a step; an epoch is three steps, and it is full at multiples of four. */
export function work(
  { state, worker, coming, recover, isFatal, step = workStep, ...options }: WorkOptions = {},
): WorkLoop {
  return new Loop({
    kinds: WorkStage,
    context: { total: 0 },
    step,
    ...(state && { state }),
    ...(worker && { worker }),
    ...(coming && { coming }),
    ...(recover && { recover }),
    ...(isFatal && { isFatal }),
  }, options);
}

async function workStep(loop: WorkLoop): Promise<void> {
  await loop.fire("work/BEFORE");
  const amount = await loop.pipe("work/AMOUNT", 1);
  if (await loop.gate("work/MAY_WORK")) {
    loop.context.total += await loop.replace("work/WORK", () => amount);
  }
  await loop.fire("work/AFTER");
  if (loop.stepCount % 4 === 3) {
    loop.context.by = loop.context.total;
    await loop.fire("work/ON_FULL");
  }
  if (loop.stepCount % 3 === 2) {
    await loop.fire("work/EPOCH_END");
    loop.advance("epoch");
  }
}

/** A hook at one stage that notes the steps at which it fires. */
export class Steps {
  readonly stage: `work/${keyof WorkStages}`;
  readonly frequency: number;
  readonly steps: number[] = [];

  constructor(
    stage: `work/${"BEFORE" | "AFTER" | "ON_FULL" | "EPOCH_END"}` = "work/AFTER",
    frequency = 1,
  ) {
    this.stage = stage;
    this.frequency = frequency;
  }

  call(ctx: BaseContext): void {
    this.steps.push(ctx.stepCount);
  }
}

/** Swallows warnings and keeps them. */
export function collect<T>(): { readonly list: T[]; readonly push: (x: T) => void } {
  const list: T[] = [];
  return { list, push: (x) => void list.push(x) };
}
