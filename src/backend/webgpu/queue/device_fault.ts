import { BackendUnavailableError } from "../../backend_unavailable_error.ts";

/** The first error of a device. All later requests to the device fail with this error. */
export class DeviceFault {
  readonly #device: GPUDevice;
  #error: Error | undefined;

  /** Starts to listen for errors and the loss of a device. */
  constructor(device: GPUDevice) {
    this.#device = device;
    device.addEventListener("uncapturederror", this.#onError);
    device.lost.then(({ reason, message }) => {
      this.set(
        unavailable("lost", `its device was lost (${reason}: ${message})`),
      );
    });
  }

  /** The error, or `undefined` if no error has occurred. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Records an error if it is the first one. Later errors are consequences of the first. */
  set(error: Error): void {
    this.#error ??= error;
  }

  /** Throws the recorded error, if any. */
  assertNone(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /**
   * Waits until the device has had time to report its loss. Mapping a buffer of a lost device fails before
   * `device.lost` resolves, and the error of the mapping does not name the cause.
   */
  async settle(): Promise<void> {
    if (this.#error === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Stops listening for errors of the device. */
  close(): void {
    this.#device.removeEventListener("uncapturederror", this.#onError);
  }

  readonly #onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.set(
      error instanceof GPUOutOfMemoryError
        ? unavailable("memory", `its device is out of memory: ${error.message}`)
        : new Error(
          `Cannot continue on backend webgpu: its device reported an error: ${error.message}`,
        ),
    );
  };
}

function unavailable(reason: "lost" | "memory", problem: string): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot continue on backend webgpu: ${problem}`, {
    backend: "webgpu",
    reason,
    during: "run",
  });
}
