/**
 * Measures what a page costs the run that it watches. `watched.ts CLIENT TURNS` prints, as JSON, the times of a step of an NVE run of 4000 argon
 * atoms in ms, in turns with and without its hooks, and the frames per second that the page got while it watched.
 *
 * One engine runs both, in one process, and the page is a client in another process.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { serveRun } from "../../src/page/mod.ts";
import { takeTurns } from "../turns.ts";

/** Steps in a turn: about a second of them. */
const STEPS = 800;
const HOOKS = ["watch", "watchFrames"];

async function measure(client: string, turns: number): Promise<object> {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 10 })]);
  initVelocities(batch, 40, { seed: 1 });
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const engine = new NVE({ model, dt: 2 });
  const page = await serveRun(engine, { name: "argon", steps: 1e6, dt: 2 });
  const watching = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL(`../${client}`, import.meta.url)), page.url],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  while (!page.isOpen) await new Promise((resolve) => setTimeout(resolve, 10));
  const [positions, velocities] = [batch.get("positions").slice(), batch.get("velocities").slice()];
  let watched = 0;
  const run = (isWatched: boolean) => async () => {
    batch.get("positions").set(positions);
    batch.get("velocities").set(velocities);
    for (const name of HOOKS) isWatched ? engine.hooks.enable(name) : engine.hooks.disable(name);
    const begun = performance.now();
    await engine.run(batch, STEPS);
    if (isWatched) watched += performance.now() - begun;
  };
  const costs = await takeTurns({ watched: run(true), alone: run(false) }, {
    turns,
    warm: 2,
    events: STEPS,
  });
  await watching.stdin.close();
  const said = await new Response(watching.stdout).text();
  const frames = Number(said.trim().split("\n").at(-1)) / (watched / 1000);
  await page.close();
  await engine.close();
  return { ...costs, frames };
}

if (import.meta.main) {
  const [client = "page/client.ts", turns = "9"] = Deno.args;
  console.log(JSON.stringify(await measure(client, Number(turns))));
}
