import { assertEquals, assertThrows } from "@std/assert";
import { hook } from "../../mod.ts";
import { checkCalls, stepLoop, Steps } from "../../bench/hooks/bodies.ts";
import { callsPerStep, classHooks, Nine, NineStages } from "../../bench/hooks/nine_stages.ts";

Deno.test("NineStages.step() goes on behind a hook that answers with a promise, in order", async () => {
  const seen: string[] = [];
  const log = hook({
    name: "log",
    kinds: [Nine],
    on: { nine: { "*": (_ctx, stage) => void seen.push(stage) } },
  });
  const wait = hook({
    name: "wait",
    kinds: [Nine],
    on: { nine: { S3: () => Promise.resolve().then(() => void seen.push("waited")) } },
  });
  const engine = new NineStages([wait, log]);
  await engine.step(engine.context, 0);
  const stages = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => `nine/S${i}`);
  assertEquals(seen, [...stages.slice(0, 3), "waited", ...stages.slice(3)]);
});

Deno.test("checkCalls() throws when a hook of the step is called less often than it should be", () => {
  const hooks = classHooks(0) as unknown as ConstructorParameters<typeof NineStages>[0];
  const all = new Steps(new NineStages(hooks), stepLoop());
  checkCalls(all, () => callsPerStep(0), "all");
  const without = new Steps(new NineStages(hooks.slice(1)), stepLoop());
  assertThrows(() => checkCalls(without, () => callsPerStep(0), "seven of eight"), Error, "seven");
});
