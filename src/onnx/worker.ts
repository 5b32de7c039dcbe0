/**
 * Script of the worker of `openSessionInWorker`. It has no exports. If a bundler cannot find the script of the
 * worker, import this entry in a file of your own, and pass that file:
 *
 * `openSessionInWorker(model, { worker: () => new Worker("session_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./session/workers/session_worker.ts";
