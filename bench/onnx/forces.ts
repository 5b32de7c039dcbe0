/**
 * Compares forces from `gradient` with forces that PyTorch traced into the file. It prints the time of runs of both
 * on wasm with one thread in ms, for the model named in the arguments. Runs in a separate process.
 *
 * @module
 */

import { type HostFeed, openSession, type Session, withForces } from "../../src/onnx/mod.ts";
import { takeTurns } from "../turns.ts";
import { stackedFeeds } from "./stacked.ts";

/** Turns of each. */
const TURNS = 21;
/** Largest accepted difference of forces, relative to the largest force. */
const APART = 1e-5;

/** Returns the forces of a run. */
export async function forcesOf(
  session: Session,
  feeds: Readonly<Record<string, HostFeed>>,
): Promise<number[]> {
  const { forces } = await session.run(feeds);
  if (forces?.location !== "host") throw new Error("Cannot compare: forces must be at hand");
  return Array.from(forces.data, Number);
}

/**
 * Throws an `Error` if these are not the same forces.
 *
 * @param tolerance largest accepted difference, relative to the largest force
 */
export function assertSame(
  ours: readonly number[],
  traced: readonly number[],
  tolerance: number = APART,
): void {
  const most = Math.max(...traced.map(Math.abs));
  const apart = Math.max(...ours.map((x, i) => Math.abs(x - traced[i]!)));
  if (apart <= tolerance * most && most > 0) return;
  throw new Error(`Cannot compare: forces must be the same: they are ${apart} apart of ${most}`);
}

if (import.meta.main) {
  const [folder = "", model = "", copies = "1", events = "20"] = Deno.args;
  const feeds = await stackedFeeds(`${folder}/${model}_ref.json`, Number(copies));
  const written = withForces(await Deno.readFile(`${folder}/${model}_e.onnx`));
  const sessions = {
    ours: await openSession(written.bytes, { device: "wasm", threads: 1 }),
    traced: await openSession(await Deno.readFile(`${folder}/${model}_ef.onnx`), {
      device: "wasm",
      threads: 1,
    }),
  };
  assertSame(await forcesOf(sessions.ours, feeds), await forcesOf(sessions.traced, feeds));
  const body = (session: Session) => async () => {
    for (let i = 0; i < Number(events); i++) await session.run(feeds);
  };
  const costs = await takeTurns({ ours: body(sessions.ours), traced: body(sessions.traced) }, {
    turns: TURNS,
    warm: 3,
    events: Number(events),
  });
  console.log(JSON.stringify(costs));
  for (const session of Object.values(sessions)) await session.dispose();
}
