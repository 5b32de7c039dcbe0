/**
 * Measures the work that an engine adds to a session on wasm. It prints the time of a step of NVE with ANI-1x and 64
 * molecules, and of the session alone with the same tensors, in ms. Runs in a separate process.
 *
 * @module
 */

import { watchSessions } from "../gpu/session_calls.ts";
import { takeTurns } from "../turns.ts";
import { molecules } from "./molecules.ts";
import { openAni } from "./ours.ts";
import type { Fetches, HostFeed } from "../../src/onnx/session/session_tensor.ts";
import type { Session } from "../../src/onnx/session/session_run.ts";

/** Steps in a turn; turns of each. */
const STEPS = 20, TURNS = 11;

/** A call, with what it was fed: the engine uses that memory again. */
interface Kept {
  readonly session: Session;
  readonly feeds: Readonly<Record<string, HostFeed>>;
  readonly fetches: Fetches | undefined;
}

if (import.meta.main) {
  const { batch, engine } = await openAni((await molecules())!);
  await engine.run(batch, 20);
  const kept: { last?: Kept; count: number } = { count: 0 };
  watchSessions(({ session, feeds, fetches }) => {
    kept.count++;
    if (kept.last !== undefined) return;
    const copies = Object.entries(feeds as Readonly<Record<string, HostFeed>>)
      .map(([name, { data, dims }]) => [name, { data: data.slice(), dims }] as const);
    kept.last = { session, feeds: Object.fromEntries(copies) as Kept["feeds"], fetches };
  });
  await engine.run(batch, 1);
  const { session, feeds, fetches } = kept.last!;
  kept.count = 0;
  const costs = await takeTurns({
    engine: () => engine.run(batch, STEPS),
    alone: async () => {
      for (let i = 0; i < STEPS; i++) await session.run(feeds, fetches);
    },
  }, { turns: TURNS, events: STEPS });
  if (kept.count !== 2 * STEPS * (1 + TURNS)) {
    throw new Error(
      `Cannot compare steps: each must run the session once: ${kept.count} runs were made`,
    );
  }
  const dims = Object.fromEntries(Object.entries(feeds).map(([name, { dims }]) => [name, dims]));
  console.log(JSON.stringify({ ...costs, dims }));
  await engine.close();
}
