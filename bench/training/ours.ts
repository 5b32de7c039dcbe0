/**
 * Our side of the comparisons of training: `ours.ts CASE '{"input", "warm", "steps"}'` serves turns (serve_turns.ts) of
 * steps on wasm, one thread. Ten steps before the first turn say what losses they begin with.
 *
 * @module
 */

import type { Asked } from "../dynamics/ours.ts";
import { serveTurns } from "../peers/serve_turns.ts";
import { openNetwork } from "./networks.ts";

if (import.meta.main) {
  const { input, warm, steps }: Asked = JSON.parse(Deno.args[1]!);
  const { batch, trainer } = await openNetwork(JSON.parse(await Deno.readTextFile(input)));
  const losses: number[] = [];
  for (let i = 0; i < 10; i++) losses.push((await trainer.step(batch)).loss);
  for (let i = 0; i < warm; i++) await trainer.step(batch);
  await serveTurns({ peer: "hooke", dtype: "float32", losses }, async () => {
    for (let i = 0; i < steps; i++) await trainer.step(batch);
    return { events: steps };
  });
  await trainer.close();
}
