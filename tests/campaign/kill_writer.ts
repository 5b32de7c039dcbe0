/** Computes a campaign from a folder, one of several processes that are killed. */

import {
  campaignIds,
  openResultStore,
  readCampaign,
  readItems,
  runCampaign,
} from "../../src/campaign/mod.ts";

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
