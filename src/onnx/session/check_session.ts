import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { openGpuDevice } from "../../backend/webgpu/device.ts";
import { openSession } from "./open_session.ts";
import {
  compareSessions,
  type Comparison,
  type HostFeeds,
  type Tolerance,
} from "./compare_sessions.ts";
import { loadModel } from "./session_model.ts";
import type { SessionOptions } from "./session_options.ts";
import type { Session } from "./session_run.ts";
import type { ModelSource } from "./session_source.ts";

/** How {@linkcode checkSession} checks. */
export interface SessionCheckOptions
  extends Pick<SessionOptions, "gpuDevice" | "externalData" | "dimensions" | "threads" | "name"> {
  /** At least two inputs that differ; of the same shapes for `capture`. */
  readonly feeds: readonly HostFeeds[];
  /**
   * Whether to record and replay as well.
   *
   * @default false
   */
  readonly capture?: boolean;
  /**
   * How far results may be apart.
   *
   * @default { relative: 1e-3, absolute: 1e-6 }
   */
  readonly tolerance?: Tolerance;
}

/** One pair of ways to run a model, compared. */
export interface SessionFinding {
  /** Which is compared with which. */
  readonly what: "webgpu against wasm" | "captured against uncaptured";
  /** Whether they agree. */
  readonly ok: boolean;
  /** The comparisons, run by run; none when there was no session to compare. */
  readonly comparisons: readonly Comparison[];
  /** What was found, in words. */
  readonly text: string;
}

/** What {@linkcode checkSession} found. */
export interface SessionCheck {
  /** Whether WebGPU gives what wasm gives. */
  readonly webgpu: SessionFinding;
  /** Whether replaying gives what running gives; `undefined` if it was not asked for. */
  readonly capture: SessionFinding | undefined;
}

/**
 * Runs a model on WebGPU and on wasm, and with `capture` recorded and not, on two inputs and the first again, and
 * says whether they agree. Silent mistakes of a GPU backend show here, before a simulation is built on them: a
 * replay of stale buffers, an operator done differently.
 *
 * @throws {RangeError} for fewer than two inputs that differ
 * @throws {BackendUnavailableError} where there is no GPU, or it was lost
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

/** Not by `using`: a browser that does not know the word would load nothing of the package. */
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

/** A model that cannot be captured is a finding, not a failure. */
async function checkCapture(
  open: () => Promise<Session>,
  webgpu: Session,
  feeds: readonly HostFeeds[],
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
  feeds: readonly HostFeeds[],
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
