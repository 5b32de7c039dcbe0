/**
 * Script of the worker of `openSessionInWorker`. It has no exports. If a bundler cannot find this script, import this
 * entry in a file of your project, and pass a worker that runs this file:
 *
 * `openSessionInWorker(model, { worker: () => new Worker("session_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./session/workers/session_worker.ts";
