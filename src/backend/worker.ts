/**
 * What runs inside the workers of `openThreads`: nothing is to be had of it but its effect. For pages whose bundler
 * must be told where the workers' script is, which is a file that imports this one:
 *
 * `openThreads(2, { worker: () => new Worker("thread_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./threads/thread_worker.ts";
