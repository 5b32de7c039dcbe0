/**
 * Our side of the comparisons of training: `ours.ts CASE '{"input", "warm", "steps", "runtime"}'` serves turns
 * (serve_turns.ts) of steps on one thread. Ten steps before the first turn say what losses they begin with.
 *
 * @module
 */

import type { Asked } from "../dynamics/ours.ts";
import { openOrLeave, serveTurns } from "../peers/serve_turns.ts";
import { openNetwork } from "./networks.ts";

if (import.meta.main) {
  const { input, warm, steps, runtime }: Asked & { readonly runtime?: "web" | "native" } = JSON
    .parse(Deno.args[1]!);
  const stored = JSON.parse(await Deno.readTextFile(input));
  const losses: number[] = [];
  const { batch, trainer } = await openOrLeave(async () => {
    const network = await openNetwork(stored, runtime);
    losses.push((await network.trainer.step(network.batch)).loss);
    return network;
  });
  for (let i = 1; i < 10; i++) losses.push((await trainer.step(batch)).loss);
  for (let i = 0; i < warm; i++) await trainer.step(batch);
  await serveTurns({ peer: "hooke", dtype: "float32", losses }, async () => {
    for (let i = 0; i < steps; i++) await trainer.step(batch);
    return { events: steps };
  });
  await trainer.close();
}
