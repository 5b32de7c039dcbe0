import { gpuOf } from "../../backend/mod.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { SessionCheck } from "../../onnx/session/check_session.ts";
import type { ModelSource } from "../../onnx/session/session_source.ts";
import { UnsupportedNodeError } from "../../onnx/graph/unsupported_node_error.ts";
import type { Model, ModelOutput, OpenModel } from "../model.ts";
import { openLoaded, whyOf } from "./opened_model.ts";
import { withManifest } from "./manifest/manifest_source.ts";
import type { OnnxManifest } from "./manifest/manifest.ts";
import { openOnGpu, type PaddingFindings, whyOnHost } from "./open_on_gpu.ts";
import { loadOnnx, type OnnxModelOptions } from "./options.ts";
import { type OnnxOpened, openOnHost } from "./open_on_host.ts";
import { evaluated } from "./session.ts";
import type { Verification } from "./reference/verification.ts";

/**
 * A potential in an .onnx file: energies and forces, and stresses where it has them, evaluated by onnxruntime-web.
 * A file that gives an energy and no forces is differentiated when it is opened: once, for all devices.
 *
 * What its tensors mean is told by their names, types and shapes where these leave no doubt. Where they do, and for
 * all that no file says by itself (cutoff, units, elements), there is a manifest ({@linkcode OnnxManifest}): in the
 * options, in a file of JSON beside the model, or in the model's own metadata, in this order. `describe` says what was
 * found, and by whom it was said.
 *
 * Edges and triplets come from kernels. On the host lists are as long as they are; on WebGPU they are padded, if that
 * was found to change nothing. A model that says nowhere which atom belongs to which system is run once per system.
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
  /** What it is called. */
  readonly name: string;
  /** What it gives. */
  readonly gives: readonly ModelOutput[];
  /** See {@linkcode Model.isInvariant}: what the manifest says, or what follows from the graph. */
  readonly isInvariant: boolean;
  /** Fields of the batch that it writes besides. */
  readonly fields: readonly string[];
  /** Å; 0 where it is fed no edges. */
  readonly cutoff: number;
  readonly #opened: OnnxOpened;
  readonly #bytes: Uint8Array;
  readonly #manifest: OnnxManifest;
  /** Why no GPU can have it, if that is in the file. */
  readonly #whyOnHost: string | undefined;
  /** Why the evaluator cannot have it, if that is in the file. */
  readonly #whyNotPlain: string | undefined;
  /** The same model by the evaluator, once it was asked for; text where that cannot run it. */
  #plain: OnnxOpened | string | undefined;
  readonly #summary: string;
  readonly #notes = new Set<string>();
  readonly #verification: Verification | undefined;
  readonly #padding: PaddingFindings = { isCompared: false, difference: undefined };
  #isDisposed = false;
  readonly #checks = new WeakMap<GPUDevice, Promise<SessionCheck>>();

  private constructor(
    opened: OnnxOpened,
    summary: string,
    { bytes, manifest, isInvariant, verification, whyOnHost, whyNotPlain }: {
      readonly bytes: Uint8Array;
      readonly manifest: OnnxManifest;
      readonly isInvariant: boolean;
      readonly verification: Verification | undefined;
      readonly whyOnHost: string | undefined;
      readonly whyNotPlain: string | undefined;
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
    this.#whyOnHost = whyOnHost;
    this.#whyNotPlain = whyNotPlain;
    this.#summary = summary;
  }

  /**
   * Opens a model: the bytes of its file, its path or its address.
   *
   * @throws {SyntaxError} for what is no model, or a damaged one, or one that onnxruntime-web cannot run, and for a
   * manifest that is no JSON
   * @throws {UnsupportedNodeError} for an operator that cannot be differentiated, where forces must be made, and for one
   * that the evaluator does not know, where it must run the model
   * @throws {ModelMismatchError} where it is not known what a tensor means, or where it is not what it is said to be, and
   * if it gives other results than its reference
   * @throws {TypeError} for a member of a manifest or an option that there is none of, or of another kind
   * @throws {RangeError} for a value that cannot be, and where nobody says how far it reaches
   * @throws {Error} for a file that cannot be read
   * @throws {BackendUnavailableError} where there is too little memory
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
      ...whyOf(loaded),
    });
    if (finding !== undefined) model.#notes.add(finding);
    return model;
  }

  /**
   * What is in the file, what its tensors are taken for and who says so, units, what WebGPU could run of it; and, after
   * it has run on a GPU, what comparing that with wasm has shown.
   */
  describe(): string {
    return [this.#summary, ...this.#notes].join("\n");
  }

  /**
   * See {@linkcode Model.open}. On the backend `reference` the evaluator runs it in double precision, if it knows its
   * operators. On a GPU it runs there, on the buffers of the state, where it can take them as they are;
   * else the host runs it, with copies there and back at each step, and `describe` says why.
   *
   * If it has a reference, it is compared with that before it first runs on a GPU or on the backend `reference`.
   *
   * Throws a RangeError that names an atom of an element it does not know.
   */
  open(state: ResidentBatch, warn: (message: string) => void = () => {}): OpenModel {
    const open = this.#open(state, warn), verification = this.#verification;
    const { backend } = state, device = gpuOf(backend)?.device;
    const isPlain = backend.name === "reference" && typeof this.#plain === "object";
    if (verification === undefined || (device === undefined && !isPlain)) return open;
    const place = device === undefined
      ? { runtime: "evaluator", backend }
      // Sums are of float32 in another order, and some functions are less exact than on wasm.
      : { runtime: "webgpu", backend, device, slack: 10 };
    const note = (text: string) => void this.#notes.add(text);
    return verification.guard(open, place, (other) => this.#open(other, () => {}), note);
  }

  #open(state: ResidentBatch, warn: (message: string) => void): OpenModel {
    const backend = gpuOf(state.backend);
    const isPlain = this.#opened.session.device === "evaluator";
    if (isPlain || backend === undefined) return openOnHost(this.#onHost(state), state);
    try {
      const why = this.#whyNotOnGpu(state);
      if (why === undefined) {
        const note = (text: string) => void this.#notes.add(text);
        const assertOpen = () => this.#assertOpen();
        const [bytes, checks, padding] = [this.#bytes, this.#checks, this.#padding];
        const more = { bytes, checks, padding, note, warn, assertOpen };
        return openOnGpu({ ...this.#opened, ...more }, backend, state);
      }
      this.#notes.add(`on WebGPU the host runs it, as ${why}`);
    } catch (error) {
      if (!(error instanceof UnsupportedNodeError)) throw error;
      this.#notes.add(`on WebGPU the host runs it: ${error.message}`);
    }
    return openOnHost(this.#opened, state);
  }

  #whyNotOnGpu({ batch }: ResidentBatch): string | undefined {
    const { difference } = this.#padding;
    return this.#whyOnHost ?? whyOnHost(this.#opened.bindings, batch.size) ??
      (difference && `with padded lists ${difference}`);
  }

  /** What runs it there: the reference is in double precision. */
  #onHost({ backend }: ResidentBatch): OnnxOpened {
    if (backend.name !== "reference") return this.#opened;
    this.#assertOpen();
    const plain = this.#plain ??= evaluated(this.#opened, {
      bytes: this.#bytes,
      whyNot: this.#whyNotPlain,
    });
    if (typeof plain !== "string") {
      this.#notes.add("on the reference backend the evaluator runs it, in double precision");
      return plain;
    }
    this.#notes.add(`on the reference backend onnxruntime runs it, in single precision: ${plain}`);
    return this.#opened;
  }

  /**
   * The model as it runs, an .onnx file: with the forces that were made where it had none, and with what is said of it
   * (its manifest) in its metadata. Weights in other files are in it where forces were made; else they stay where they
   * are. A copy.
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
    throw new Error(`Cannot run ${this.name}: it must be open: it was disposed of`);
  }

  /** Gives the session back. Engines that have it can then do no further step. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (typeof this.#plain === "object") await this.#plain.session.dispose();
    await this.#opened.session.dispose();
  }

  /** The same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}
