/**
 * Worker script of `openThreads`. It exports nothing. If the bundler of a page does not find the script, write a file
 * that imports this one, and pass it: `openThreads(2, { worker: () => new Worker("thread_worker.js", { type: "module"
 * }) })`
 *
 * @module
 */

import "./threads/thread_worker.ts";
