/**
 * What runs inside the worker of `openSessionInWorker`: nothing is to be had of it but its effect. For pages whose
 * bundler must be told where the worker's script is, which is a file that imports this one:
 *
 * `openSessionInWorker(model, { worker: () => new Worker("session_worker.js", { type: "module" }) })`
 *
 * @module
 */

import "./session/session_worker.ts";
