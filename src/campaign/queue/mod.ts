/**
 * Campaigns over a queue on a NATS server: structures are submitted once, and any number of processes on any number of
 * machines compute them, each with one result.
 *
 * `openCampaignQueue` connects, `submit` and `reconcile` send structures, `work` computes them and stores their results,
 * and `count`, `listAside`, `retry` and `cancel` look after the queue. Recipes, structures and stores of results come
 * from `@hooke/hooke/campaign`. In Node, the client is installed by
 * `npm install @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0 @nats-io/obj@3.4.0`; Deno downloads it.
 *
 * @module
 */

export type {
  AsideList,
  CampaignQueue,
  CampaignWorkOptions,
  RetryCounts,
} from "./campaign_queue.ts";
export { openCampaignQueue } from "./campaign_queue.ts";
export type { AsideItem, QueueCounts, SubmitCounts, WorkCounts, WorkEvent } from "./counts.ts";
export type { QueuePriority } from "./names.ts";
export type {
  CampaignHandlerOptions,
  CheckpointOptions,
  LabeledItem,
  QueueConnectionOptions,
  QueueOptions,
  SubmitOptions,
  WorkOptions,
} from "./options.ts";
export type { ConfirmationOptions } from "./patience.ts";
