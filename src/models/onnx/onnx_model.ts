import { runtimeText } from "./describe.ts";
import { gpuOf } from "../../backend/webgpu/gpu_of.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { SessionCheck } from "../../onnx/session/check_session.ts";
import type { ModelSource } from "../../onnx/session/session_source.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import type { Model, ModelOutput, OpenModel } from "../model.ts";
import { limitationsOf, openLoaded } from "./opened_model.ts";
import { withManifest } from "./manifest/manifest_source.ts";
import type { OnnxManifest } from "./manifest/manifest.ts";
import { hostReason, openOnGpu, type PaddingFindings } from "./open_on_gpu.ts";
import { loadOnnx, type OnnxModelOptions } from "./options.ts";
import { type OnnxOpened, openOnHost } from "./open_on_host.ts";
import { openEvaluated } from "./session.ts";
import type { Verification } from "./reference/verification.ts";

/**
 * A potential in an .onnx file, evaluated by onnxruntime. It has energies and forces, and stresses if the model
 * computes them. A file that has an energy output and no forces is differentiated once, when it is opened, for all
 * devices.
 *
 * The meanings of its tensors are derived from their names, types and shapes if these are unambiguous. Other
 * meanings, and properties that a graph does not contain (cutoff, units, elements), are stated in a manifest
 * ({@linkcode OnnxManifest}). Its members may be in the options, in a JSON file beside the model, or in the model's
 * metadata; the first of these that states a member wins. `describe` shows all meanings and their origins.
 *
 * Kernels list edges and triplets. On the host, lists are not padded; on WebGPU they are padded, after a comparison
 * has shown that padding does not change results. A model without an input with the systems of atoms runs once per
 * system.
 *
 * @example Run the Lennard-Jones potential as a graph
 * ```ts
 * import { Batch, fcc } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { OnnxModel } from "@hooke/hooke/models/onnx";
 * import { lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using model = await OnnxModel.open(bytes);
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * await using md = new NVE({ model, dt: 2 });
 * await md.run(batch, 3);
 * assertAlmostEquals(batch.get("energy")[0]! / 32, -0.0776, 1e-4);
 * ```
 *
 * @example The manifest of a model with four elements and triplets
 * ```ts
 * import type { OnnxManifest } from "@hooke/hooke/models/onnx";
 *
 * const manifest: OnnxManifest = {
 *   cutoff: 5.2,
 *   reach: 3.5,
 *   elements: ["H", "C", "N", "O"],
 *   energyUnit: "Hartree",
 * };
 * console.log(JSON.stringify(manifest)); // beside ani.onnx as ani.json
 * ```
 */
export class OnnxModel implements Model, AsyncDisposable {
  /** Name of the model. */
  readonly name: string;
  /** Outputs of the model; `"forces"` is always one of them. */
  readonly gives: readonly ModelOutput[];
  /**
   * True if translations do not change the results; see {@linkcode Model.isInvariant}. The manifest states it, or it
   * is derived from the graph.
   */
  readonly isInvariant: boolean;
  /** Names of further fields of the batch that the model writes. */
  readonly fields: readonly string[];
  /** Runtime that computes the model on the processor, its number of threads, and why native code is not used. */
  readonly runtime: string;
  /** Largest cutoff radius of the model's lists in Å; 0 if the model has no edges. */
  readonly cutoff: number;
  readonly #opened: OnnxOpened;
  readonly #bytes: Uint8Array;
  readonly #manifest: OnnxManifest;
  /** Reason why a GPU cannot run the model, as far as the file shows it; undefined if the file shows no reason. */
  readonly #hostReason: string | undefined;
  /**
   * Reason why the evaluator cannot run the model, as far as the file shows it; undefined if the file shows no
   * reason.
   */
  readonly #evaluatorProblem: string | undefined;
  /**
   * The model in the evaluator, or the reason why the evaluator cannot run it. `undefined` until the backend
   * `reference` first needs the model.
   */
  #evaluated: OnnxOpened | string | undefined;
  readonly #summary: string;
  readonly #notes = new Set<string>();
  readonly #verification: Verification | undefined;
  readonly #padding: PaddingFindings = { isCompared: false, difference: undefined };
  #isDisposed = false;
  readonly #checks = new WeakMap<GPUDevice, Promise<SessionCheck>>();

  private constructor(
    opened: OnnxOpened,
    summary: string,
    { bytes, manifest, isInvariant, verification, hostReason, evaluatorProblem }: {
      readonly bytes: Uint8Array;
      readonly manifest: OnnxManifest;
      readonly isInvariant: boolean;
      readonly verification: Verification | undefined;
      readonly hostReason: string | undefined;
      readonly evaluatorProblem: string | undefined;
    },
  ) {
    const has = (...meanings: readonly string[]) =>
      opened.bindings.outputs.some(({ meaning }) => meanings.includes(meaning));
    this.name = opened.name;
    const { rules } = opened.bindings;
    this.cutoff = Math.max(opened.cutoff, ...rules.others.map(({ cutoff }) => cutoff));
    this.isInvariant = isInvariant;
    this.gives = [
      ...(has("energy") ? ["energy"] as const : []),
      "forces",
      ...(has("stress", "virial") ? ["stress"] as const : []),
    ];
    this.runtime = runtimeText(opened.session);
    this.fields = opened.bindings.outputs.flatMap(({ field }) => field ?? []);
    this.#opened = opened;
    this.#bytes = bytes;
    this.#manifest = manifest;
    this.#verification = verification;
    this.#hostReason = hostReason;
    this.#evaluatorProblem = evaluatorProblem;
    this.#summary = summary;
  }

  /**
   * Opens a model from the bytes of its file, its path or its URL.
   *
   * @throws {SyntaxError} if the file is not a valid model, if onnxruntime cannot run it, or if a manifest is not
   * valid JSON
   * @throws {UnsupportedNodeError} if forces must be added and an operator cannot be differentiated, or if the
   * evaluator must run the model and lacks an operator
   * @throws {ModelMismatchError} if the meaning of a tensor is unknown, if a tensor does not fit its stated meaning,
   * or if the results differ from those of the reference
   * @throws {TypeError} if an option or a member of the manifest is unknown or of the wrong type
   * @throws {RangeError} if a value is out of range, or if the cutoff is missing
   * @throws {Error} if a file cannot be read
   * @throws {BackendUnavailableError} if there is too little memory
   */
  static async open(source: ModelSource, options: OnnxModelOptions = {}): Promise<OnnxModel> {
    const read = await loadOnnx(source, options);
    const { loaded, opened, isInvariant, summary, verification, finding } = await openLoaded(
      read,
      options,
    );
    const { bytes, manifest } = loaded;
    const model = new OnnxModel(opened, summary, {
      bytes,
      manifest,
      isInvariant,
      verification,
      ...limitationsOf(loaded),
    });
    if (finding !== undefined) model.#notes.add(finding);
    return model;
  }

  /**
   * Describes the model as text: the content of the file, the meanings of its tensors with their origins, the units,
   * the nodes that WebGPU can run, and, after a run on a GPU, the result of the comparison with wasm.
   */
  describe(): string {
    return [this.#summary, ...this.#notes].join("\n");
  }

  /**
   * Prepares the model for a batch; see {@linkcode Model.open}. On the backend `reference`, the evaluator runs it in
   * double precision if it knows all operators. On a GPU, the model runs on the buffers of the state if they have the
   * form that it needs. Otherwise the host runs it, with copies in both directions at each step, and `describe` shows
   * the reason.
   *
   * If the model has a reference, it is compared with the reference before its first run on a GPU or on the backend
   * `reference`.
   *
   * Throws a RangeError that names the atom if the model does not know its element.
   */
  open(state: ResidentBatch, warn: (message: string) => void = () => {}): OpenModel {
    const open = this.#open(state, warn), verification = this.#verification;
    const { backend } = state, device = gpuOf(backend)?.device;
    const isEvaluated = backend.name === "reference" && typeof this.#evaluated === "object";
    if (verification === undefined || (device === undefined && !isEvaluated)) return open;
    const place = device === undefined
      ? { runtime: "evaluator", backend }
      // On a GPU, float32 sums run in another order, and some functions are less precise than on wasm.
      : { runtime: "webgpu", backend, device, slack: 10 };
    const note = (text: string) => void this.#notes.add(text);
    return verification.guard(open, place, (other) => this.#open(other, () => {}), note);
  }

  #open(state: ResidentBatch, warn: (message: string) => void): OpenModel {
    const backend = gpuOf(state.backend);
    const isEvaluated = this.#opened.session.device === "evaluator";
    if (isEvaluated || backend === undefined) return openOnHost(this.#onHost(state), state);
    try {
      const why = this.#gpuProblem(state);
      if (why === undefined) {
        const note = (text: string) => void this.#notes.add(text);
        const assertOpen = () => this.#assertOpen();
        const [bytes, checks, padding] = [this.#bytes, this.#checks, this.#padding];
        const more = { bytes, checks, padding, note, warn, assertOpen };
        return openOnGpu({ ...this.#opened, ...more }, backend, state);
      }
      this.#notes.add(`it runs on the host instead of WebGPU: ${why}`);
    } catch (error) {
      if (!(error instanceof UnsupportedNodeError)) throw error;
      this.#notes.add(`it runs on the host instead of WebGPU: ${error.message}`);
    }
    return openOnHost(this.#opened, state);
  }

  #gpuProblem({ batch }: ResidentBatch): string | undefined {
    const { difference } = this.#padding;
    return this.#hostReason ?? hostReason(this.#opened.bindings, batch.size) ??
      (difference && `with padded lists ${difference}`);
  }

  /**
   * Returns the model for runs on the host. On the backend `reference` it runs in the evaluator, in double precision,
   * if the evaluator supports it. On other backends it runs in its own session. The first call for `reference` opens
   * the evaluator.
   */
  #onHost({ backend }: ResidentBatch): OnnxOpened {
    if (backend.name !== "reference") return this.#opened;
    this.#assertOpen();
    const evaluated = this.#evaluated ??= openEvaluated(this.#opened, {
      bytes: this.#bytes,
      problem: this.#evaluatorProblem,
    });
    if (typeof evaluated !== "string") {
      this.#notes.add("on the reference backend the evaluator runs it, in double precision");
      return evaluated;
    }
    this.#notes.add(
      `on the reference backend onnxruntime runs it, in single precision: ${evaluated}`,
    );
    return this.#opened;
  }

  /**
   * Returns the bytes of an .onnx file with the model as it runs: with forces if they were added, and with the
   * manifest in its metadata. If forces were added, weights from other files are included; otherwise they stay in
   * those files.
   *
   * @example Export a model with the forces that were added
   * ```ts
   * import { OnnxModel } from "@hooke/hooke/models/onnx";
   * import { decodeModel, GraphBuilder } from "@hooke/hooke/onnx";
   * import { assertEquals } from "@std/assert";
   *
   * const builder = new GraphBuilder("springs");
   * const x = builder.input("positions", "f32", ["N", 3]);
   * builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
   * await using model = await OnnxModel.open(builder.build());
   * const { graph } = decodeModel(model.export());
   * assertEquals(graph?.output.map(({ name }) => name), ["energy", "forces"]);
   * ```
   */
  export(): Uint8Array<ArrayBuffer> {
    return withManifest(this.name, this.#bytes, this.#manifest);
  }

  #assertOpen(): void {
    if (!this.#isDisposed) return;
    throw new Error(`Cannot run ${this.name}: it was disposed of`);
  }

  /** Disposes of the sessions. Engines cannot use the model afterwards. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (typeof this.#evaluated === "object") await this.#evaluated.session.dispose();
    await this.#opened.session.dispose();
  }

  /** Disposes of the model, as `dispose` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}
