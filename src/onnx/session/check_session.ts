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
  /**
   * Sets of input tensors, one per run: at least two that differ. With `capture`, all sets must have the same shapes.
   */
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

/** Result of comparing two ways to run a model. */
export interface SessionFinding {
  /** Compared ways to run the model: the tested one, then the reference. */
  readonly what: "webgpu against wasm" | "captured against uncaptured";
  /** True if all outputs agree within the tolerance. */
  readonly ok: boolean;
  /** Comparisons, one per run and output. Empty if a session could not be opened. */
  readonly comparisons: readonly Comparison[];
  /** Summary of the result in one sentence. */
  readonly text: string;
}

/** Result of {@linkcode checkSession}. */
export interface SessionCheck {
  /** Comparison of WebGPU with wasm. */
  readonly webgpu: SessionFinding;
  /** Comparison of replayed with plain runs; `undefined` if it was not requested. */
  readonly capture: SessionFinding | undefined;
}

/**
 * Compares the outputs of a model on WebGPU with those on wasm for each set of inputs, and then for the first set
 * again. With `capture`, it also compares replayed runs with plain ones. Use it before a simulation relies on the
 * GPU: it finds silent mistakes of a GPU backend, such as replays that read stale buffers, or operators with wrong
 * results.
 *
 * @throws {RangeError} if `feeds` has fewer than two sets of inputs, or all sets are equal
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
 * Opens a session, runs `work` with it and disposes of it. A `using` declaration would be shorter, but a browser that
 * does not support this syntax could not load the package.
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

/**
 * Compares replayed runs with plain runs. If the model cannot be captured, returns a finding that says so instead of
 * throwing an error.
 */
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
  const where = shown.worst === 0 ? "" : `: ${differenceIn(shown)}`;
  return { what, ok: wrong === undefined, comparisons, text: `${what}: ${verdict}${where}` };
}

/** Returns the text for the largest difference of an output, which is NaN if values cannot be compared. */
function differenceIn({ output, at, run, worst, limit }: Comparison): string {
  if (Number.isNaN(worst)) {
    return `${output} in run ${run} has a value that is not finite, or another length`;
  }
  return `${output}[${at}] by ${worst.toPrecision(2)} in run ${run}; at most ` +
    `${limit.toPrecision(2)} is allowed`;
}
