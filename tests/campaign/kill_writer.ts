/**
 * Computes a campaign from a folder, in a process that a test kills.
 *
 * @module
 */

import {
  campaignIds,
  openResultStore,
  readCampaign,
  readItems,
  runCampaign,
} from "../../src/campaign/mod.ts";

if (import.meta.main) {
  const [folder, checkpoint] = Deno.args as [string, string];
  const recipe = await readCampaign(folder);
  const store = await openResultStore(folder);
  const missing = new Set((await campaignIds(folder)).filter((id) => !store.has(id)));
  await runCampaign(recipe, readItems(folder, recipe, (id) => missing.has(id)), store, {
    batchAtoms: 64,
    checkpoint,
    checkpointSeconds: 0.02,
    onResult: () => console.log("result"),
  });
  await store.close();
  console.log("end");
}
