/**
 * Script of the worker that runs in a tab. It exports nothing.
 *
 * @module
 */

import { workerScope } from "../../platform/workers.ts";
import { describeOptions } from "./settings.ts";
import type { FromTabWorker, TabReceiver, TabRequest, TabWork, ToTabWorker } from "./messages.ts";

const scope = workerScope();

function post(message: FromTabWorker): void {
  scope?.postMessage(message, []);
}

const receiver: TabReceiver = {
  event: (event) => post({ type: "event", event }),
  live: (frame) => post({ type: "live", frame }),
  moved: (move, text) => post({ type: "moved", move, text }),
};

let work: TabWork | undefined;

async function openWork(request: TabRequest): Promise<TabWork> {
  if (request.task === "fine-tune") {
    const { TuneRun } = await import("./tune_run.ts");
    return await TuneRun.open(request, receiver);
  }
  const { EngineRun } = await import("./engine_run.ts");
  return await EngineRun.open(request, receiver);
}

async function start(request: TabRequest): Promise<void> {
  try {
    work = await openWork(request);
    post({ type: "result", result: await work.run() });
  } catch (error) {
    post({ type: "failed", message: inWords(error) });
  }
}

async function answer(message: Exclude<ToTabWorker, { readonly type: "start" }>): Promise<void> {
  const { id } = message;
  try {
    if (work === undefined) throw new Error("Cannot do this: the run has not begun yet");
    post({ type: "answer", id, value: await valueOf(work, message) });
  } catch (error) {
    post({ type: "refused", id, message: inWords(error) });
  }
}

async function valueOf(
  work: TabWork,
  message: Exclude<ToTabWorker, { readonly type: "start" }>,
): Promise<unknown> {
  switch (message.type) {
    case "command":
      return await work.command(message.command);
    case "move":
      return await work.move(message.move);
    case "frame":
      return work.frame(message.index);
    case "file":
      return await work.file(message.path);
  }
}

/** Returns the message of an error. Browsers report exhausted memory by errors that do not say what to do. */
function inWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const isMemory =
    /out of memory|allocation failed|could not allocate|Invalid (typed )?array (buffer )?length/i;
  return isMemory.test(text)
    ? `There is too little memory in this tab: ${text}. Use fewer or smaller structures, or the command hooke`
    : text;
}

if (scope !== undefined) {
  scope.onmessage = ({ data }) => {
    const message = data as ToTabWorker;
    if (message.type === "start") void start(message.request);
    else void answer(message);
  };
  post({ type: "ready", tasks: describeOptions() });
}
