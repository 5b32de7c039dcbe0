/**
 * Runs a campaign over a queue with many kills, for some minutes, and prints the outcome:
 * `deno run -A tests/campaign/queue/large_chaos.ts [ITEMS] [KILLS OF WORKERS] [KILLS OF THE SERVER]`.
 *
 * @module
 */

import { runChaos } from "./chaos.ts";

if (import.meta.main) {
  const [items = 10_000, workerKills = 100, serverKills = 10] = Deno.args.map(Number);
  const outcome = await runChaos({
    items,
    workers: 4,
    workerKills,
    serverKills,
    batch: 16,
    seconds: 3600,
  });
  const load = Deno.loadavg().map((x) => x.toFixed(1)).join(" ");
  console.log(JSON.stringify({ items, workerKills, serverKills, ...outcome, load }));
  const isExact = outcome.results === items && outcome.different.length === 0 &&
    outcome.faults === 0 && outcome.left === 0 && outcome.aside === 0;
  Deno.exit(isExact ? 0 : 1);
}
