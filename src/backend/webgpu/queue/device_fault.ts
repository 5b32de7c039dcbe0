import { BackendUnavailableError } from "../../backend_unavailable_error.ts";

/** The first error of a device. From then on everything that is asked of the device fails with it. */
export class DeviceFault {
  readonly #device: GPUDevice;
  #error: Error | undefined;

  /** Listens to a device. */
  constructor(device: GPUDevice) {
    this.#device = device;
    device.addEventListener("uncapturederror", this.#onError);
    device.lost.then(({ reason, message }) => {
      this.set(
        unavailable("lost", `its device must be there: it was lost (${reason}: ${message})`),
      );
    });
  }

  /** The error, once there is one. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Keeps an error, unless there was one before: later errors are consequences. */
  set(error: Error): void {
    this.#error ??= error;
  }

  /** Throws the error if there is one. */
  assertNone(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /**
   * Waits until the device had time to report what has become of it. Mapping a buffer of a lost device fails before
   * `device.lost` resolves, and its own error does not name the cause.
   */
  async settle(): Promise<void> {
    if (this.#error === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Stops listening. */
  close(): void {
    this.#device.removeEventListener("uncapturederror", this.#onError);
  }

  readonly #onError = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.set(
      error instanceof GPUOutOfMemoryError
        ? unavailable("memory", `its device must have memory for the batch: ${error.message}`)
        : new Error(
          `Cannot go on with backend webgpu as its device must take what it is given: ${error.message}`,
        ),
    );
  };
}

function unavailable(reason: "lost" | "memory", requirement: string): BackendUnavailableError {
  return new BackendUnavailableError(`Cannot go on with backend webgpu as ${requirement}`, {
    backend: "webgpu",
    reason,
    during: "run",
  });
}
