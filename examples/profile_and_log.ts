/**
 * Uses two ready-made hooks: a profiler and a run log.
 *
 * Run: `deno run examples/profile_and_log.ts`
 */
import { type BaseContext, Loop, Profiler, runLog, stages } from "@hooke/hooke";

const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
const config = { seed: 7, steps: 100 };

const lines: string[] = [];
const log = runLog({ config, write: (line) => void lines.push(line) }); // or path: "runs.jsonl"
const profiler = new Profiler({ frequency: 10 }); // with tracePath: "trace.json" it writes a trace

const loop = new Loop({
  kinds: WalkStage,
  async step(loop) {
    await loop.fire(WalkStage.BEFORE_STEP);
    await loop.fire(WalkStage.AFTER_STEP);
  },
}, {
  name: "walk",
});
loop.hooks.add(log, { order: "first" }); // before all others, so that it logs every change of them
loop.hooks.add(profiler, { order: "first" });
loop.hooks.add({
  name: "half-way",
  stage: WalkStage.AFTER_STEP,
  frequency: 50,
  phase: 49,
  once: true,
  call: (ctx: BaseContext) => ctx.workflow.hooks.disable("profiler"),
});
await loop.run(config.steps);

console.log(String(profiler.summary()));
for (const line of lines) {
  const record = JSON.parse(line);
  const { type, change, hook, step, outcome, configHash, hooks } = record;
  const what = { type, change, hook, step, outcome, configHash: configHash?.slice(0, 8) };
  console.log(JSON.stringify(what), `${hooks.length} hooks`);
}
