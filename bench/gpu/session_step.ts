/**
 * Measures the work that an engine adds to a session on WebGPU. `session_step.ts FOLDER ATOMS` prints the time of a
 * step of NVE with SchNet, and of the session alone with the same buffers, in ms. Runs in a separate process.
 *
 * @module
 */

import { openWebGpu } from "../../src/backend/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { takeTurns } from "../turns.ts";
import { coldAtoms } from "./cold_atoms.ts";
import { type SessionCall, watchSessions } from "./session_calls.ts";

if (import.meta.main) {
  const [folder, atoms = "512", steps = "150", turns = "5"] = Deno.args;
  const backend = await openWebGpu();
  const model = await OnnxModel.open(`${folder}/schnet_ef.onnx`, { cutoff: 5 });
  const batch = await coldAtoms(folder!, atoms);
  const engine = new NVE({ model, dt: 0.05, backend });
  const seen: { last?: SessionCall; count: number } = { count: 0 };
  watchSessions((call) => (seen.last = call, seen.count++));
  await engine.run(batch, 3);
  const { session, feeds, fetches } = seen.last!;
  const builds = async () => Object.values((await engine.save()).resident.pairs)[0]!.builds[0]!;
  const before = await builds(), count = seen.count;
  const costs = await takeTurns({
    engine: () => engine.run(batch, Number(steps)),
    alone: async () => {
      for (let i = 0; i < Number(steps); i++) {
        for (const tensor of Object.values(await session.run(feeds, fetches))) {
          if (tensor.location === "gpu") tensor.dispose();
        }
      }
      await backend.device.queue.onSubmittedWorkDone();
    },
  }, { turns: Number(turns), events: Number(steps) });
  const runs = (seen.count - count) / (2 * Number(steps) * (1 + Number(turns)));
  if (runs > 1.05 || await builds() !== before || session.device !== "webgpu") {
    throw new Error(
      `Cannot compare steps: each must run the session once on WebGPU and find no pairs anew: it runs it ${runs} ` +
        `times on ${session.device}, and pairs were found ${await builds() - before} times`,
    );
  }
  console.log(JSON.stringify({ ...costs, isRecorded: session.isCaptured }));
  await engine.close();
  await model.dispose();
  backend.dispose();
}
