/**
 * A run in a worker of this tab, as the page shows any run.
 *
 * @module
 */

import { EventLog } from "../feed/event_log.ts";
import type { RunCommand, RunEvent, RunSource, ViewerFrame } from "../protocol.ts";
import type {
  AtomMove,
  FromTabWorker,
  TabOption,
  TabRequest,
  TabResult,
  TabTask,
  ToTabWorker,
} from "./messages.ts";
import { Questions } from "./questions.ts";

/** Members of a web worker that are used here. */
export interface WorkerPort {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** Receives what a run reports besides its events. */
export interface TabListener {
  /** The run has ended well. */
  result?(result: TabResult): void;
  /** The run has failed, or the worker has crashed. */
  failed?(message: string): void;
  /** An atom was moved. */
  moved?(move: AtomMove, text: string): void;
}

/** A run in a worker. */
export class TabSource implements RunSource {
  readonly #worker: WorkerPort;
  readonly #log: EventLog = new EventLog();
  readonly #questions: Questions = new Questions();
  readonly #ready: PromiseWithResolvers<Readonly<Record<TabTask, readonly TabOption[]>>> = Promise
    .withResolvers();
  #listener: TabListener = {};
  #live: ViewerFrame | undefined;
  #length = 0;
  #info: Extract<RunEvent, { readonly type: "info" }> | undefined;
  #failure: string | undefined;

  /** Takes over a worker that runs `tab_worker.js`. */
  constructor(worker: WorkerPort) {
    this.#worker = worker;
    this.#ready.promise.catch(() => {}); // awaiting the options throws it
    worker.onmessage = ({ data }) => this.#take(data as FromTabWorker);
    worker.onmessageerror = () => this.#crash("a message could not be read");
    worker.onerror = (event) => {
      event.preventDefault();
      this.#crash(event.message || "its script could not be loaded");
    };
  }

  /** Options of all tasks, once the worker has loaded. Rejects if it cannot be loaded. */
  get options(): Promise<Readonly<Record<TabTask, readonly TabOption[]>>> {
    return this.#ready.promise;
  }

  /** Number of frames of the trajectory. */
  get length(): number {
    return this.#length;
  }

  /** Starts a run. A worker runs once. */
  start(request: TabRequest, listener: TabListener): void {
    this.#listener = listener;
    if (this.#failure === undefined) this.#post({ type: "start", request });
    else listener.failed?.(this.#failure);
  }

  /** Ends the worker at once. */
  close(): void {
    this.#worker.terminate();
    this.#reject("Cannot answer: the run was closed");
  }

  events(signal: AbortSignal): AsyncIterable<RunEvent> {
    return this.#log.events(signal);
  }

  async frame(index: number): Promise<ViewerFrame> {
    return await this.#ask((id) => ({ type: "frame", id, index })) as ViewerFrame;
  }

  live(): Promise<ViewerFrame | undefined> {
    return Promise.resolve(this.#live);
  }

  async command(command: RunCommand): Promise<void> {
    await this.#ask((id) => ({ type: "command", id, command }));
  }

  /** Moves an atom of a paused run, Å. Rejects if the run is not paused, or another atom is there. */
  async move(move: Omit<AtomMove, "step">): Promise<void> {
    await this.#ask((id) => ({ type: "move", id, move }));
  }

  async file(path: string): Promise<Blob> {
    const bytes = await this.#ask((id) => ({ type: "file", id, path }));
    return new Blob([bytes as Uint8Array<ArrayBuffer>]);
  }

  #ask(message: (id: number) => ToTabWorker): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(new Error(this.#failure));
    return this.#questions.ask((id) => this.#post(message(id)));
  }

  #post(message: ToTabWorker): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromTabWorker): void {
    switch (message.type) {
      case "ready":
        return this.#ready.resolve(message.tasks);
      case "event":
        return this.#publish(message.event);
      case "live":
        this.#live = message.frame;
        return;
      case "moved":
        return this.#listener.moved?.(message.move, message.text);
      case "result":
        return this.#listener.result?.(message.result);
      case "failed":
        return this.#failed(message.message);
      case "answer":
        return this.#questions.settle(message.id)?.resolve(message.value);
      case "refused":
        return this.#questions.settle(message.id)?.reject(new Error(message.message));
    }
  }

  #publish(event: RunEvent): void {
    if (event.type === "frames") this.#length = event.count;
    if (event.type === "info") this.#info = event;
    this.#log.publish(event);
  }

  #failed(message: string): void {
    this.#publish({ type: "warning", message });
    this.#listener.failed?.(message);
  }

  #crash(reason: string): void {
    if (this.#failure !== undefined) return;
    const message = `The worker of this tab has ended: ${reason}. Reload the page to start again`;
    this.#failure = message;
    this.#worker.terminate();
    if (this.#info !== undefined) {
      this.#publish({ ...this.#info, run: { ...this.#info.run, state: "failed" } });
    }
    this.#reject(message);
    this.#failed(message);
  }

  #reject(message: string): void {
    const error = new Error(message);
    this.#ready.reject(error);
    this.#questions.reject(error);
  }
}
