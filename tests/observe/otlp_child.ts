// Two short runs in a separate process, whose OpenTelemetry the test enables. See otlp_test.ts.
import { DynamicsStage, TrainingStage } from "@hooke/hooke";
import { Profiler } from "@hooke/hooke/observe";
import { anyLoop, PipelineStage } from "./clocked.ts";

if (import.meta.main) {
  const profiler = new Profiler({ frequency: 2 });
  const walk = anyLoop((loop) => {
    loop.fire(DynamicsStage.BEFORE_STEP);
    loop.fire(DynamicsStage.AFTER_STEP);
  }, "walk");
  const learn = anyLoop((loop) => {
    loop.fire(TrainingStage.BEFORE_FORWARD);
    loop.fire(TrainingStage.AFTER_LOSS);
    loop.advance("batch");
  }, "learn");
  const feed = anyLoop((loop) => {
    loop.fire(PipelineStage.BEFORE_PROCESS);
    loop.fire(PipelineStage.AFTER_PROCESS);
  }, "feed");
  for (const loop of [walk, learn, feed]) {
    loop.hooks.add(profiler, { order: "first" });
    await loop.run(3);
  }
  // Deno defines the global registry by this name; without OpenTelemetry it does not exist.
  console.log(Symbol.for("opentelemetry.js.api.1") in globalThis);
}
