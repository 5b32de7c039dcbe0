import { gpuOf } from "../../backend/mod.ts";
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
 * A potential in an .onnx file: energies and forces, and stresses if the model gives them, evaluated by
 * onnxruntime. A file that gives an energy and no forces is differentiated once when it is opened, for all
 * devices.
 *
 * The meanings of its tensors are derived from their names, types and shapes if these are unambiguous. Other
 * meanings, and properties that a graph does not contain (cutoff, units, elements), are stated in a manifest
 * ({@linkcode OnnxManifest}): in the options, in a JSON file beside the model, or in the model's metadata, in
 * this order. `describe` shows all meanings and their origins.
 *
 * Kernels list edges and triplets. On the host, lists are not padded; on WebGPU they are padded, after a
 * comparison has shown that padding does not change results. A model without an input that gives the systems
 * of atoms is run once per system.
 *
 * @example The Lennard-Jones potential as a graph
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
 * @example What is said of a model of molecules that knows four elements, and angles
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
  /** Outputs of the model. */
  readonly gives: readonly ModelOutput[];
  /** See {@linkcode Model.isInvariant}: stated by the manifest, or derived from the graph. */
  readonly isInvariant: boolean;
  /** Names of further fields of the batch that the model writes. */
  readonly fields: readonly string[];
  /** Largest cutoff radius of its lists in Å; 0 if the model has no edges. */
  readonly cutoff: number;
  readonly #opened: OnnxOpened;
  readonly #bytes: Uint8Array;
  readonly #manifest: OnnxManifest;
  /** Reason for which a GPU cannot run it, if the file shows one. */
  readonly #hostReason: string | undefined;
  /** Reason for which the evaluator cannot run it, if the file shows one. */
  readonly #evaluatorProblem: string | undefined;
  /**
   * The model in the evaluator, once it was requested; a text with the reason if the evaluator cannot run it.
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
   * @throws {SyntaxError} if the file is not a valid model, onnxruntime cannot run it, or a manifest is not
   * valid JSON
   * @throws {UnsupportedNodeError} if an operator cannot be differentiated to add forces, or the evaluator
   * must run the model and does not know an operator
   * @throws {ModelMismatchError} if the meaning of a tensor is not known, a tensor does not fit its stated
   * meaning, or results differ from those of the reference
   * @throws {TypeError} if a member of the manifest or an option is unknown or of the wrong kind
   * @throws {RangeError} if a value is out of range, or the cutoff is missing
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
   * Describes the model: the content of the file, the meanings of its tensors with their origins, units, the
   * nodes that WebGPU can run, and, after a run on a GPU, the result of the comparison with wasm.
   */
  describe(): string {
    return [this.#summary, ...this.#notes].join("\n");
  }

  /**
   * Prepares the model for a batch, see {@linkcode Model.open}. On the backend `reference`, the evaluator
   * runs it in double precision if it knows all operators. On a GPU the model runs on the buffers of the
   * state if it can take them as they are; else the host runs it, with copies in both directions at each
   * step, and `describe` shows the reason.
   *
   * If the model has a reference, it is compared with it before it first runs on a GPU or on the backend
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
   * Returns the model for a backend in host memory: on `reference` the evaluator in double precision, else
   * its session.
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
   * Returns the model as it runs, as an .onnx file: with added forces if it had no forces, and with its
   * manifest in its metadata. If forces were added, weights from other files are included; else they stay in
   * those files.
   *
   * @example Forces for another program
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

  /** Disposes of the sessions. Engines cannot use the model any more. */
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
