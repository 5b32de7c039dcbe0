/**
 * The feeds of a graph by `OnnxModel`, up to the session: the reference for those of trainers.
 *
 * @module
 */

import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, type SystemInput } from "../../../src/batch/mod.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { splitEnergies } from "../../../src/models/onnx/elements/split_energies.ts";
import { matchableOf, withMadeForces } from "../../../src/models/onnx/forces.ts";
import { openOnHost } from "../../../src/models/onnx/open_on_host.ts";
import { isInvariantBy, openedModel } from "../../../src/models/onnx/opened_model.ts";
import { loadOnnx, type OnnxModelOptions } from "../../../src/models/onnx/options.ts";
import type { Session } from "../../../src/onnx/session/session_run.ts";
import type { Feeds, HostFeed } from "../../../src/onnx/session/session_tensor.ts";

/** Returns what an engine on wasm feeds a graph for each run of a batch: one, or one per system. */
export async function engineInputs(
  bytes: Uint8Array,
  options: OnnxModelOptions,
  systems: readonly SystemInput[],
): Promise<Record<string, HostFeed>[]> {
  const derived = Object.keys(options.derived ?? {});
  const given = splitEnergies(await loadOnnx(bytes, options), derived);
  const { loaded, made } = await withMadeForces(given, options);
  const { inputs, outputs } = matchableOf(loaded, derived);
  const runs: Record<string, HostFeed>[] = [];
  const stopped = new Error("stopped");
  const session = {
    name: "none",
    device: "wasm",
    inputs,
    outputs,
    run(feeds: Feeds) {
      const entries = Object.entries(feeds as Record<string, HostFeed>);
      runs.push(Object.fromEntries(
        entries.map(([name, { data, dims }]) => [name, { data: data.slice(), dims: dims! }]),
      ));
      return Promise.reject(stopped);
    },
  } as unknown as Session;
  const opened = openedModel(loaded, session, options, made);
  const hasOrigins = options.invariant ?? isInvariantBy(given, opened.bindings);
  // A graph of single systems is run for one after the other, and stops at the first.
  const batches = opened.bindings.batch === "single"
    ? systems.map((system) => [system])
    : [[...systems]];
  for (const batch of batches) {
    const model = { open: (state: Parameters<typeof openOnHost>[1]) => openOnHost(opened, state) };
    try {
      await evaluateModel(model, Batch.from(batch), openBackend("wasm"), { hasOrigins });
    } catch (error) {
      if (error !== stopped) throw error;
    }
  }
  return runs;
}
