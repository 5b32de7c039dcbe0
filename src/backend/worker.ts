/**
 * Worker script of `openThreads`; it exports nothing. If the bundler of a page does not find the
 * script, write a file that imports this one:
 *
 * `openThreads(2, { worker: () => new Worker("thread_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./threads/thread_worker.ts";
