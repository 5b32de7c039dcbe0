/**
 * The page: runs in a browser while they go on.
 *
 * @module
 */

export { type RunPage, serveRun, type ServeRunOptions } from "./serve_run.ts";
export type { WatchedEngine } from "./feed/watched_engine.ts";
export type { RunKind } from "./protocol.ts";
