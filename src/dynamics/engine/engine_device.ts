/**
 * Where an engine runs: what was asked for, what was picked, and what is open.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { openBackend, openDevice } from "../../backend/open.ts";
import type { AdapterInfo } from "../../backend/webgpu/adapter.ts";
import type { Device, DeviceName } from "../../backend/devices.ts";
import type { PickOptions, SkippedDevice } from "../../backend/webgpu/pick.ts";

/** A device, and how to use it. */
export interface DeviceRequest extends PickOptions {
  /** Which. */
  readonly name: DeviceName;
  /**
   * On a GPU that `"auto"` picked: after so many seconds the engine takes home what it needs to go on from there on wasm,
   * should the device be lost. It waits for the device when it does.
   *
   * @default 5
   */
  readonly keepSeconds?: number;
}

/** What says where an engine runs. */
interface PlaceOptions {
  readonly device?: DeviceName | DeviceRequest;
  readonly threads?: number;
  readonly backend?: Backend;
}

/** Where an engine runs, and why there. */
export interface DeviceInUse {
  /** What was picked. */
  readonly device: Device;
  /** What the adapter says of itself, on a GPU. */
  readonly info?: AdapterInfo;
  /** What was passed over, or was lost. */
  readonly skipped: readonly SkippedDevice[];
}

/** The error of a backend that is no longer there, if that is why something went wrong. */
export function unavailable(error: unknown): BackendUnavailableError | undefined {
  if (error instanceof BackendUnavailableError) return error;
  return error instanceof Error && error.cause !== undefined ? unavailable(error.cause) : undefined;
}

/** The device of one engine. What it opens it closes; a backend that it was given stays whose it was. */
export class EngineDevice {
  readonly #engine: string;
  readonly #request: DeviceRequest | undefined;
  readonly #threads: number;
  #backend: Backend | undefined;
  #inUse: DeviceInUse | undefined;
  #isHost = true;

  /** Opens at once what need not be waited for. Throws a RangeError for a name that there is not. */
  constructor(engine: string, { backend, device = "wasm", threads = 1 }: PlaceOptions) {
    this.#engine = engine;
    this.#threads = threads;
    if (backend !== undefined) {
      this.#use(backend);
      return;
    }
    this.#request = typeof device === "string" ? { name: device } : device;
    const { name } = this.#request;
    if (threads > 1) this.#isHost = false;
    else if (name === "wasm" || name === "reference") this.#use(openBackend(name));
  }

  /** Whether engines wait for nothing there; as it was, while it is not open. */
  get isHost(): boolean {
    return this.#isHost;
  }

  /** What is open. Throws an Error where it must be waited for, and nobody has. */
  get backend(): Backend {
    if (this.#backend !== undefined) return this.#backend;
    throw new Error(
      `Cannot tell the backend of ${this.#engine} as its device must be open, ${
        this.#request!.name
      }: a run opens it, close() closes it`,
    );
  }

  /** What was picked; `undefined` before something was. */
  get inUse(): DeviceInUse | undefined {
    return this.#inUse;
  }

  /** Opens it, if it is not open. Throws a BackendUnavailableError where it is not to be had. */
  open(): Backend | Promise<Backend> {
    if (this.#backend !== undefined) return this.#backend;
    const { name, ...options } = this.#request!;
    if (this.#threads > 1) return this.#openThreads();
    return openDevice(name, options).then(({ backend, ...inUse }) => {
      this.#use(backend, inUse);
      return backend;
    });
  }

  /** Starts the workers. Their code is loaded here, so runs on one thread never load it. */
  async #openThreads(): Promise<Backend> {
    const { openThreads } = await import("../../backend/threads/mod.ts");
    const backend = openThreads(this.#threads);
    this.#use(backend);
    return backend;
  }

  /** Whether it may be exchanged for wasm: `"auto"` has picked a GPU. */
  get canFallBack(): boolean {
    return this.#request?.name === "auto" && !this.#isHost;
  }

  /** How often what is needed for that is to be taken home. */
  get keepSeconds(): number {
    return this.#request?.keepSeconds ?? 5;
  }

  /** The error that says that this device, one that can be exchanged, is gone; if that is why something went wrong. */
  lossIn(error: unknown): BackendUnavailableError | undefined {
    const lost = this.canFallBack ? unavailable(error) : undefined;
    return lost?.backend === "webgpu" && lost.reason !== "absent" ? lost : undefined;
  }

  /** Exchanges it for wasm, for good. */
  fallBack({ message: reason }: BackendUnavailableError): Backend {
    const skipped = [...this.#inUse?.skipped ?? [], { device: "webgpu", reason } as const];
    this.close();
    const backend = openBackend("wasm");
    this.#use(backend, { device: "wasm", skipped });
    return backend;
  }

  /** Gives back what it has opened, where that is anything to give back. */
  close(): void {
    if (this.#request === undefined || this.#isHost) return;
    this.#backend?.dispose();
    this.#backend = undefined;
  }

  #use(backend: Backend, inUse: DeviceInUse = { device: backend.name, skipped: [] }): void {
    this.#backend = backend;
    this.#isHost = backend.isHost;
    this.#inUse = inUse;
  }
}
