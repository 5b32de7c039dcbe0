import { assertEquals, assertRejects } from "@std/assert";
import { System } from "../../src/batch/mod.ts";
import { relaxAll, type StreamParts } from "../../src/cli/screen/relax_all.ts";
import type { Failure } from "../../src/cli/screen/sources.ts";
import type { Structure } from "../../src/cli/run/structures.ts";
import { FIRE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";

async function* pairs(count: number): AsyncGenerator<Structure> {
  for (let frame = 0; frame < count; frame++) {
    const system = new System({
      symbols: ["Ar", "Ar"],
      positions: [0, 0, 0, 3.7 + frame / 50, 0, 0],
    });
    yield { system, file: "a.xyz", frame, label: `a.xyz@${frame}` };
  }
}

const open = () =>
  new FIRE({ dt: 0.1, model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8 }) });

Deno.test("a full disk ends a screening, but a structure that the format refuses is set aside", async () => {
  const failures: Failure[] = [], finished: unknown[] = [];
  const parts: Omit<StreamParts, "sink"> = {
    engine: () => Promise.resolve(open()),
    settings: { steps: 50, batchAtoms: 4 },
    isGpu: false,
    signal: new AbortController().signal,
    canDrop: true,
    finished: (result) => void finished.push(result),
    failed: (failure) => void failures.push(failure),
  };
  let writes = 0;
  const sink = {
    write(): Promise<void> {
      return ++writes === 2 ? Promise.reject(new Error("no space left")) : Promise.resolve();
    },
    flush: () => Promise.resolve(),
  };
  await assertRejects(() => relaxAll(pairs(9), { ...parts, sink }), Error, "no space left");
  assertEquals([failures, writes], [[], 2]);
  const whole = { write: () => Promise.resolve(), flush: () => Promise.resolve() };
  finished.length = 0;
  await relaxAll(pairs(9), { ...parts, sink: whole });
  assertEquals([finished.length, failures], [9, []]);
  const refusing = { ...whole, write: () => Promise.reject(new RangeError("no such field")) };
  await relaxAll(pairs(9), { ...parts, sink: refusing });
  assertEquals(failures.map(({ reason }) => reason), Array(9).fill("no such field"));
});

Deno.test("an engine that fails before it takes a structure ends a screening", async () => {
  const engine = open();
  engine.stream = () => Promise.reject(new Error("broken"));
  const parts: StreamParts = {
    engine: () => Promise.resolve(engine),
    sink: { write: () => Promise.resolve(), flush: () => Promise.resolve() },
    settings: { steps: 50, batchAtoms: 4 },
    isGpu: false,
    signal: new AbortController().signal,
    canDrop: true,
    finished() {},
    failed() {},
  };
  await assertRejects(() => relaxAll(pairs(3), parts), Error, "broken");
});
