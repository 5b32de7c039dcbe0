/**
 * Script of the workers of `openThreads`; it exports nothing. For a page whose bundler does not find the script by
 * itself, write a file that imports this one:
 *
 * `openThreads(2, { worker: () => new Worker("thread_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./threads/thread_worker.ts";
