import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { openGpuDevice } from "../../backend/webgpu/device.ts";
import { openSession } from "./open_session.ts";
import {
  compareSessions,
  type Comparison,
  type FeedsByInput,
  type Tolerance,
} from "./compare_sessions.ts";
import { loadModel } from "./session_model.ts";
import type { SessionOptions } from "./session_options.ts";
import type { Session } from "./session_run.ts";
import type { ModelSource } from "./session_source.ts";

/** Options of {@linkcode checkSession}. */
export interface SessionCheckOptions
  extends Pick<SessionOptions, "gpuDevice" | "externalData" | "dimensions" | "threads" | "name"> {
  /** At least two inputs that differ. With `capture` they must have the same shapes. */
  readonly feeds: readonly FeedsByInput[];
  /**
   * True to check recording and replaying too.
   *
   * @default false
   */
  readonly capture?: boolean;
  /**
   * Largest accepted difference between results.
   *
   * @default { relative: 1e-3, absolute: 1e-6 }
   */
  readonly tolerance?: Tolerance;
}

/** Comparison of two ways to run a model. */
export interface SessionFinding {
  /** The two ways. */
  readonly what: "webgpu against wasm" | "captured against uncaptured";
  /** True if they agree. */
  readonly ok: boolean;
  /** The comparisons, one per run and output. Empty if a session could not be opened. */
  readonly comparisons: readonly Comparison[];
  /** Description of the result for people. */
  readonly text: string;
}

/** Result of {@linkcode checkSession}. */
export interface SessionCheck {
  /** Comparison of WebGPU with wasm. */
  readonly webgpu: SessionFinding;
  /** Comparison of replayed with plain runs; `undefined` if it was not asked for. */
  readonly capture: SessionFinding | undefined;
}

/**
 * Compares the outputs of a model on WebGPU with those on wasm, on two inputs and then on the first one again. With
 * `capture`, it also compares replayed runs with plain ones. Use it before a simulation relies on the GPU: it finds
 * silent mistakes of a GPU backend, such as a replay of stale buffers, or an operator that is computed differently.
 *
 * @throws {RangeError} if there are fewer than two inputs that differ
 * @throws {BackendUnavailableError} if there is no GPU, or its device was lost
 */
export async function checkSession(
  source: ModelSource,
  { feeds, capture = false, tolerance = {}, ...options }: SessionCheckOptions,
): Promise<SessionCheck> {
  const { bytes, name, external } = await loadModel(source, options);
  const { dimensions = {}, threads } = options;
  const shared = { name, externalData: external, dimensions };
  const gpuDevice = options.gpuDevice ?? await openGpuDevice();
  const onGpu = { ...shared, device: "webgpu", gpuDevice } as const;
  try {
    const onHost = threads === undefined ? shared : { ...shared, threads };
    return await withSession(
      () => openSession(bytes, onHost),
      (wasm) =>
        withSession(() => openSession(bytes, onGpu), async (webgpu) => {
          const plain = await compare("webgpu against wasm", [webgpu, wasm], feeds, tolerance);
          if (!capture) return { webgpu: plain, capture: undefined };
          const open = () => openSession(bytes, { ...onGpu, capture: true, outputs: "gpu" });
          return { webgpu: plain, capture: await checkCapture(open, webgpu, feeds, tolerance) };
        }),
    );
  } finally {
    if (options.gpuDevice === undefined) gpuDevice.destroy();
  }
}

/**
 * Runs `use` with a session, and disposes of it. This is not a `using` declaration, because a browser that does not
 * know the syntax could not load any part of the package.
 */
async function withSession<T>(
  open: () => Promise<Session>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await open();
  try {
    return await work(session);
  } finally {
    await session.dispose();
  }
}

/** Compares replayed with plain runs. A model that cannot be captured is reported as a finding, not as an error. */
async function checkCapture(
  open: () => Promise<Session>,
  webgpu: Session,
  feeds: readonly FeedsByInput[],
  tolerance: Tolerance,
): Promise<SessionFinding> {
  const what = "captured against uncaptured";
  try {
    return await withSession(
      open,
      (captured) => compare(what, [captured, webgpu], feeds, tolerance),
    );
  } catch (error) {
    if (error instanceof BackendUnavailableError || !(error instanceof Error)) throw error;
    return { what, ok: false, comparisons: [], text: `${what}: ${error.message}` };
  }
}

async function compare(
  what: SessionFinding["what"],
  [actual, expected]: readonly [Session, Session],
  feeds: readonly FeedsByInput[],
  tolerance: Tolerance,
): Promise<SessionFinding> {
  const comparisons = await compareSessions(actual, expected, feeds, tolerance);
  const wrong = comparisons.find(({ ok }) => !ok);
  const shown = wrong ??
    comparisons.reduce((a, b) => b.worst / b.limit > a.worst / a.limit ? b : a);
  const verdict = wrong !== undefined
    ? "they differ"
    : shown.worst === 0
    ? "they are equal"
    : "they agree";
  const where = shown.worst === 0 ? "" : `, ${shown.output}[${shown.at}] by ` +
    `${shown.worst.toPrecision(2)} in run ${shown.run} (at most ${shown.limit.toPrecision(2)})`;
  return { what, ok: wrong === undefined, comparisons, text: `${what}: ${verdict}${where}` };
}
