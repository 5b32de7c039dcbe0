/**
 * The device of an engine: the one asked for, the one picked, and the one that is open.
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
  /** Name of the device. */
  readonly name: DeviceName;
  /**
   * On a GPU that `"auto"` picked: number of seconds between copies of the state to the host, from which the run
   * continues on wasm if the device is lost. Each copy waits for the device.
   *
   * @default 5
   */
  readonly keepSeconds?: number;
}

/** Options that say on which device an engine runs. */
interface PlaceOptions {
  readonly device?: DeviceName | DeviceRequest;
  readonly threads?: number;
  readonly backend?: Backend;
}

/** The device an engine runs on, and the reason. */
export interface DeviceInUse {
  /** The device that was picked. */
  readonly device: Device;
  /** The adapter's description of itself, on a GPU. */
  readonly info?: AdapterInfo;
  /** Devices that were passed over, or lost. */
  readonly skipped: readonly SkippedDevice[];
}

/** Returns the error of a backend that is no longer there, if that is why something went wrong. */
export function unavailable(error: unknown): BackendUnavailableError | undefined {
  if (error instanceof BackendUnavailableError) return error;
  return error instanceof Error && error.cause !== undefined ? unavailable(error.cause) : undefined;
}

/** The device of one engine. It closes a backend that it has opened; a backend that was passed in stays open. */
export class EngineDevice {
  readonly #engine: string;
  readonly #request: DeviceRequest | undefined;
  readonly #threads: number;
  #backend: Backend | undefined;
  #inUse: DeviceInUse | undefined;
  #isHost = true;

  /** Opens a backend that needs no waiting. Throws a RangeError for an unknown name. */
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

  /** True if kernels run on the host; the last known value while the device is not open. */
  get isHost(): boolean {
    return this.#isHost;
  }

  /** The open backend. Throws an Error if the device is not open yet. */
  get backend(): Backend {
    if (this.#backend !== undefined) return this.#backend;
    throw new Error(
      `Cannot get the backend of ${this.#engine}: its device ${this.#request!.name} is not open. ` +
        "A run opens it, and close() closes it",
    );
  }

  /** The device that was picked; `undefined` before. */
  get inUse(): DeviceInUse | undefined {
    return this.#inUse;
  }

  /** Opens it, if it is not open. Throws a BackendUnavailableError if it is not available. */
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

  /** True if wasm may replace the device, because `"auto"` has picked a GPU. */
  get canFallBack(): boolean {
    return this.#request?.name === "auto" && !this.#isHost;
  }

  /** Seconds between snapshots for that case. */
  get keepSeconds(): number {
    return this.#request?.keepSeconds ?? 5;
  }

  /** Returns the error that says that this device is lost and can be replaced, if that is the cause of an error. */
  lossIn(error: unknown): BackendUnavailableError | undefined {
    const lost = this.canFallBack ? unavailable(error) : undefined;
    return lost?.backend === "webgpu" && lost.reason !== "absent" ? lost : undefined;
  }

  /** Replaces it by wasm for good. */
  fallBack({ message: reason }: BackendUnavailableError): Backend {
    const skipped = [...this.#inUse?.skipped ?? [], { device: "webgpu", reason } as const];
    this.close();
    const backend = openBackend("wasm");
    this.#use(backend, { device: "wasm", skipped });
    return backend;
  }

  /** Closes the backend that it has opened. */
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
