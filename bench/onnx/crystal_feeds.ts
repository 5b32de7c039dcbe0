import { Batch } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { HostFeed } from "../../src/onnx/mod.ts";
import { watchSessions } from "../gpu/session_calls.ts";
import { crystal } from "./around_run.ts";

/** Returns the inputs of a potential, which has its manifest in the file, for the 28 atoms of a cell of LiFePO4. */
export async function crystalFeeds(path: string): Promise<Record<string, HostFeed>> {
  const found: Record<string, HostFeed> = {};
  watchSessions(({ feeds }) => {
    for (const [name, { data, dims }] of Object.entries(feeds as Record<string, HostFeed>)) {
      // The engine uses this memory again.
      found[name] = { data: data.slice(), ...(dims === undefined ? {} : { dims: [...dims] }) };
    }
  });
  await using model = await OnnxModel.open(path, { threads: 1, verify: false, runtime: "web" });
  await using engine = new NVE({ model, dt: 1, device: "wasm" });
  await engine.run(Batch.from([crystal()]), 0);
  return found;
}
