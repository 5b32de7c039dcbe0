/**
 * Measures what one pass gains: prints how long a run of a potential with forces takes with and without the pass, ms, on
 * onnxruntime-web and, if it is installed, onnxruntime-node, one thread each. In a process of its own.
 *
 * Usage: `passes.ts MODEL.onnx COPIES EVENTS PASS`, with that number of copies of the reference beside the model. With 0 copies,
 * the model runs on the 28 atoms of a cell of LiFePO4.
 *
 * @module
 */

import { loadavg } from "node:os";
import {
  openSession,
  PROCESSOR_FORCE_PASSES,
  type Session,
  withForces,
} from "../../src/onnx/mod.ts";
import { type Cost, takeTurns } from "../turns.ts";
import { crystalFeeds } from "./crystal_feeds.ts";
import { assertSame, forcesOf } from "./forces.ts";
import { stackedFeeds } from "./stacked.ts";

/** Turns of each. */
const TURNS = 11;
/**
 * Difference between the forces of two forms of CHGNet, relative to the largest force. In float32 an arc cosine turns
 * 1e-7 into 4e-4 for atoms on a line.
 */
const ROUNDING_OF_CHGNET = 2e-4;

/** Runs with and without a pass. */
export type PassGain = Readonly<Record<"with" | "without", Cost>> & {
  /** Processes that wanted to run, on average over the last minute. */
  readonly load: number;
};

/** Gains by runtime. */
export interface PassGains {
  /** On onnxruntime-web. */
  readonly web: PassGain;
  /** On onnxruntime-node; undefined if it cannot be loaded. */
  readonly native: PassGain | undefined;
}

if (import.meta.main) {
  const [path = "", copies = "1", events = "1", pass = ""] = Deno.args;
  const feeds = Number(copies) === 0
    ? await crystalFeeds(path)
    : await stackedFeeds(path.replace("_e.onnx", "_ref.json"), Number(copies));
  const bytes = await Deno.readFile(path);
  const passes = PROCESSOR_FORCE_PASSES, others = passes.filter((name) => name !== pass);
  if (others.length === passes.length) throw new RangeError(`Unknown pass ${pass}`);
  const forms = {
    with: withForces(bytes, { passes }).bytes,
    without: withForces(bytes, { passes: others }).bytes,
  };

  const gainOn = async (runtime: "web" | "native"): Promise<PassGain> => {
    const sessions = {
      with: await openSession(forms.with, { runtime, threads: 1 }),
      without: await openSession(forms.without, { runtime, threads: 1 }),
    };
    const tolerance = path.includes("chgnet") ? ROUNDING_OF_CHGNET : undefined;
    const [ours, others] = [sessions.with, sessions.without].map((one) => forcesOf(one, feeds));
    assertSame(await ours!, await others!, tolerance);
    const body = (session: Session) => async () => {
      for (let i = 0; i < Number(events); i++) await session.run(feeds);
    };
    const costs = await takeTurns({ with: body(sessions.with), without: body(sessions.without) }, {
      turns: TURNS,
      warm: 2,
      events: Number(events),
    });
    for (const session of Object.values(sessions)) await session.dispose();
    return { ...costs, load: loadavg()[0] ?? NaN };
  };
  const web = await gainOn("web");
  const native = await gainOn("native").catch((error) => {
    if (error instanceof Error && error.name === "BackendUnavailableError") return undefined;
    throw error;
  });
  console.log(JSON.stringify({ web, native } satisfies PassGains));
}
