/** A GPU that is lost while systems stream through it. */
import { assert, assertEquals } from "@std/assert";
import {
  ConvergenceHook,
  Dynamics,
  type DynamicsContext,
  DynamicsStage,
  fireRelaxer,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { few } from "../suite.ts";
import { ARGON, assertNear, bitsOf } from "./atoms.ts";
import { disguised } from "./devices.ts";
import { alone, bySource, rattled } from "./streams.ts";

const JOINING = "as others join";

for (const [keepSeconds, some] of [[Infinity, [3, JOINING]], [0, [59]]] as const) {
  testOnGpu(
    `a stream goes on on wasm when its device is lost, and writes each system once; kept every ${keepSeconds} s`,
    async () => {
      const systems = rattled(6);
      for (const at of few<readonly (number | string)[]>(some, [3, 41, 59, 60, JOINING])) {
        let count = 0;
        const { gpu, lose } = disguised();
        const warnings: HookWarning[] = [];
        await using engine = new Dynamics(fireRelaxer({ dt: 0.3 }), {
          model: ARGON,
          device: { name: "auto", gpu, keepSeconds },
          hooks: [ConvergenceHook.fromFmax(0.02)],
          onWarning: (warning) => void warnings.push(warning),
        });
        engine.hooks.add({
          name: "losing",
          stage: DynamicsStage.AFTER_PRE_UPDATE,
          frequency: 1,
          call: ({ stepCount }: DynamicsContext) => stepCount === at ? lose() : undefined,
        });
        engine.hooks.add({
          name: "losing later",
          stage: DynamicsStage.ON_ADMIT,
          frequency: 1,
          call: () => typeof at === "string" && count++ === 0 ? lose() : undefined,
        });
        const sink = new MemorySink();
        const sampler = new SizeAwareSampler(systems, { maxSystems: 3 });
        const summary = await engine.stream(sampler, { sinks: [sink] });
        assertEquals(warnings.map(({ hook }) => hook), ["(device)"]);
        assertEquals(
          [summary.isDone, summary.graduated, summary.systems, sink.length],
          [true, 6, 6, 6],
        );
        for (const [id, batch] of bySource(sink.read())) {
          const one = await alone(fireRelaxer({ dt: 0.3 }), systems[id]!, { id, backend: "wasm" });
          const [found, expected] = [batch, one].map((of) => bitsOf(of, 0, ["energy"]).energy!);
          assertNear(found!, expected!, 1e-3);
          assert(Math.abs(batch.get("stepsDone")[0]! - one.get("stepsDone")[0]!) < 9);
        }
      }
    },
  );
}
