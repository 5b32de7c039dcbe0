/**
 * Records one step of an engine, and draws it as a sequence diagram.
 *
 * @module
 */

import { type Backend, openBackend, type Program } from "../../src/backend/mod.ts";
import { Batch, fcc } from "../../src/batch/mod.ts";
import { DynamicsStage, NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";

/** An event in a step: kernels that are run, or a stage that fires. */
export type StepEvent = { readonly kernels: readonly string[] } | { readonly stage: string };

/** Stages that every step fires, in their order. */
const STAGES: readonly string[] = Object.values(DynamicsStage).filter((stage): stage is string =>
  typeof stage === "string" && /\/(BEFORE|AFTER)_/.test(stage)
);

/** Runs one step of NVE with a hook at each stage, and returns what happens in which order. */
export async function recordStep(): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  const backend = recorded(openBackend("reference"), events);
  const hooks = STAGES.map((stage) => ({
    name: stage,
    stage,
    frequency: 1,
    call: () => void events.push({ stage: stage.split("/")[1]! }),
  }));
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
  await using md = new NVE({ model, dt: 2, backend, hooks: hooks as never });
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  await md.run(batch, 0); // forces are evaluated before the first step
  events.length = 0;
  await md.run(batch, 1);
  const [first, last] = [STAGES[0]!, STAGES.at(-1)!].map((stage) => stage.split("/")[1]);
  const places = [first, last].map((name) =>
    events.findIndex((e) => "stage" in e && e.stage === name)
  );
  return events.slice(places[0], places[1]! + 1);
}

/** Returns the backend, with an event for each program that it runs. */
function recorded(backend: Backend, events: StepEvent[]): Backend {
  const kernels = new Map<Program, readonly string[]>();
  const replaced: Pick<Backend, "prepare" | "run"> = {
    prepare(frame, calls) {
      const program = backend.prepare(frame, calls);
      kernels.set(program, calls.map(({ kernel }) => kernel.name));
      return program;
    },
    run(program, first, steps) {
      events.push({ kernels: kernels.get(program) ?? [] });
      return backend.run(program, first, steps);
    },
  };
  return new Proxy(backend, {
    get(target, key) {
      if (key === "prepare" || key === "run") return replaced[key];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Returns a recorded step as Mermaid. */
export function stepDiagram(events: readonly StepEvent[]): string {
  const lines = events.flatMap((event) => {
    if ("stage" in event) return [`  StepRunner->>Hooks: ${event.stage}`];
    return event.kernels.length === 0
      ? []
      : [`  StepRunner->>Backend: ${event.kernels.join(", ")}`];
  });
  return [
    "```mermaid",
    "sequenceDiagram",
    "  Steps->>DynamicsEngine: step",
    "  DynamicsEngine->>StepRunner: step",
    ...lines,
    "  StepRunner-->>DynamicsEngine: converged, diverged",
    "  DynamicsEngine-->>Steps: done",
    "```",
  ].join("\n");
}
