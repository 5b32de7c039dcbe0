/**
 * The device of an engine: requested by the user, picked by name, and opened when needed.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { openBackend, openDevice } from "../../backend/open.ts";
import type { AdapterInfo } from "../../backend/webgpu/adapter.ts";
import type { Device, DeviceName } from "../../backend/devices.ts";
import type { PickOptions, SkippedDevice } from "../../backend/webgpu/pick.ts";

/** A device and its options. */
export interface DeviceRequest extends PickOptions {
  /** Name of the device. */
  readonly name: DeviceName;
  /**
   * Number of seconds between copies of the state to the host, for a GPU that `"auto"` has picked. If the GPU is
   * lost, the run continues on wasm from the last copy. The run waits for the GPU at each copy.
   *
   * @default 5
   */
  readonly keepSeconds?: number;
}

/** Options of an engine that determine its device. */
interface PlaceOptions {
  readonly device?: DeviceName | DeviceRequest;
  readonly threads?: number;
  readonly backend?: Backend;
}

/** The device on which an engine runs, and the devices that were not used. */
export interface DeviceInUse {
  /** Name of the device. */
  readonly device: Device;
  /** Description of the GPU by its adapter; `undefined` on other devices. */
  readonly info?: AdapterInfo;
  /** Devices that were passed over or lost, with the reasons. */
  readonly skipped: readonly SkippedDevice[];
}

/** Returns the BackendUnavailableError among an error and its causes, or `undefined`. */
export function unavailable(error: unknown): BackendUnavailableError | undefined {
  if (error instanceof BackendUnavailableError) return error;
  return error instanceof Error && error.cause !== undefined ? unavailable(error.cause) : undefined;
}

/** The device of one engine. It closes the backends that it has opened, but not a backend that the user has passed. */
export class EngineDevice {
  readonly #engine: string;
  readonly #request: DeviceRequest | undefined;
  readonly #threads: number;
  #backend: Backend | undefined;
  #inUse: DeviceInUse | undefined;
  #isHost = true;

  /** Opens the backend at once if it can be opened synchronously. Throws a RangeError for an unknown name. */
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

  /** True if kernels run on the host. While the device is not open, this is the last known value. */
  get isHost(): boolean {
    return this.#isHost;
  }

  /** The open backend. Throws an Error if the device is not open yet. */
  get backend(): Backend {
    if (this.#backend !== undefined) return this.#backend;
    throw new Error(
      `Cannot get the backend of ${this.#engine}: its device ${this.#request!.name} is not open. ` +
        "A run opens the device, and close() closes it",
    );
  }

  /** The device in use; `undefined` before it is picked. */
  get inUse(): DeviceInUse | undefined {
    return this.#inUse;
  }

  /**
   * Opens the device if it is not open, and returns its backend. Throws a BackendUnavailableError if the device is
   * not available.
   */
  open(): Backend | Promise<Backend> {
    if (this.#backend !== undefined) return this.#backend;
    const { name, ...options } = this.#request!;
    if (this.#threads > 1) return this.#openThreads();
    return openDevice(name, options).then(({ backend, ...inUse }) => {
      this.#use(backend, inUse);
      return backend;
    });
  }

  /** Starts the worker threads. Their code is loaded here, so that engines with one thread never load it. */
  async #openThreads(): Promise<Backend> {
    const { openThreads } = await import("../../backend/threads/mod.ts");
    const backend = openThreads(this.#threads);
    this.#use(backend);
    return backend;
  }

  /** True if wasm may replace the device: `"auto"` has picked a GPU. */
  get canFallBack(): boolean {
    return this.#request?.name === "auto" && !this.#isHost;
  }

  /** Number of seconds between snapshots for a replacement by wasm. */
  get keepSeconds(): number {
    return this.#request?.keepSeconds ?? 5;
  }

  /** Returns the cause of an error if it is the loss of a device that wasm may replace; otherwise `undefined`. */
  lossIn(error: unknown): BackendUnavailableError | undefined {
    const lost = this.canFallBack ? unavailable(error) : undefined;
    return lost?.backend === "webgpu" && lost.reason !== "absent" ? lost : undefined;
  }

  /** Closes the lost device, and replaces it by wasm for all further runs. Returns the new backend. */
  fallBack({ message: reason }: BackendUnavailableError): Backend {
    const skipped = [...this.#inUse?.skipped ?? [], { device: "webgpu", reason } as const];
    this.close();
    const backend = openBackend("wasm");
    this.#use(backend, { device: "wasm", skipped });
    return backend;
  }

  /** Closes the backend if this device has opened it and it does not run on the host. */
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
