// A short run in a separate process, whose OpenTelemetry the test enables. See otlp_metrics_test.ts.
import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
import { openTelemetryReporter, Reporter } from "@hooke/hooke/observe";

if (import.meta.main) {
  const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
  const loop = new Loop({
    kinds: WalkStage,
    step: (loop) => loop.fire(WalkStage.AFTER_STEP),
  }, {
    name: "walk",
  });
  const scalars = { "walk/x": (ctx: BaseContext) => ctx.stepCount + 0.5, nothing: () => NaN };
  loop.hooks.add(new Reporter({ reporters: [openTelemetryReporter()], scalars }));
  await loop.run(3);
}
