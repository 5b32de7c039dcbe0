import { gpuOf } from "../backend/mod.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { opsetOf, OPSETS } from "../onnx/opset.ts";
import { openSession } from "../onnx/session.ts";
import type { SessionCheck } from "../onnx/session_check.ts";
import type { ModelSource } from "../onnx/session_source.ts";
import { UnsupportedNodeError } from "../onnx/unsupported_node_error.ts";
import type { Model, ModelOutput, OpenModel } from "./model.ts";
import { describeOnnx } from "./onnx_describe.ts";
import { elementsOf } from "./onnx_elements.ts";
import { matchTensors } from "./onnx_match.ts";
import { openOnGpu, whyOnHost } from "./onnx_on_gpu.ts";
import { type LoadedOnnx, loadOnnx, type OnnxModelOptions } from "./onnx_options.ts";
import { type OnnxOpened, openOnHost } from "./onnx_run.ts";
import type { OnnxBindings } from "./onnx_bindings.ts";
import { unitsOf } from "./onnx_units.ts";

/**
 * A potential in an .onnx file: energies and forces, and stresses where it has them, evaluated by onnxruntime-web.
 *
 * What its tensors mean is told by their names, types and shapes where these leave no doubt. Where they do, and for
 * all that no file says by itself (cutoff, units, elements), there is a manifest ({@linkcode OnnxManifest}): in the
 * options, in a file of JSON beside the model, or in the model's own metadata, in this order. `describe` says what was
 * found, and by whom it was said.
 *
 * Edges and triplets come from kernels, filled up so that shapes repeat. A model that says nowhere which atom belongs
 * to which system is run once per system.
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
  /** Fields of the batch that it writes besides. */
  readonly fields: readonly string[];
  /** Å; 0 where it is fed no edges. */
  readonly cutoff: number;
  readonly #opened: OnnxOpened;
  readonly #bytes: Uint8Array;
  /** Why no GPU can have it, if that is in the file. */
  readonly #whyOnHost: string | undefined;
  readonly #summary: string;
  readonly #notes = new Set<string>();
  #isDisposed = false;
  readonly #checks = new WeakMap<GPUDevice, Promise<SessionCheck>>();

  private constructor(
    opened: OnnxOpened,
    summary: string,
    { bytes, whyOnHost }: {
      readonly bytes: Uint8Array;
      readonly whyOnHost: string | undefined;
    },
  ) {
    const has = (...meanings: readonly string[]) =>
      opened.bindings.outputs.some(({ meaning }) => meanings.includes(meaning));
    this.name = opened.name;
    this.cutoff = opened.cutoff;
    this.gives = [
      ...(has("energy") ? ["energy"] as const : []),
      "forces",
      ...(has("stress", "virial") ? ["stress"] as const : []),
    ];
    this.fields = opened.bindings.outputs.flatMap(({ field }) => field ?? []);
    this.#opened = opened;
    this.#bytes = bytes;
    this.#whyOnHost = whyOnHost;
    this.#summary = summary;
  }

  /**
   * Opens a model: the bytes of its file, its path or its address.
   *
   * @throws {SyntaxError} for what is no model, or a damaged one, or one that onnxruntime-web cannot run, and for a
   * manifest that is no JSON
   * @throws {ModelMismatchError} where it is not known what a tensor means, or where it is not what it is said to be
   * @throws {TypeError} for a member of a manifest or an option that there is none of, or of another kind
   * @throws {RangeError} for a value that cannot be, and where nobody says how far it reaches
   * @throws {Error} for a file that cannot be read
   * @throws {BackendUnavailableError} where there is too little memory
   */
  static async open(source: ModelSource, options: OnnxModelOptions = {}): Promise<OnnxModel> {
    const loaded = await loadOnnx(source, options);
    const { name, bytes, url, manifest, by } = loaded;
    const { threads, externalData, runtime, signal, derived = {}, skin = 0.5 } = options;
    // From its address again where there is one: weights in other files are beside it.
    const tensors = loaded.file.graph?.initializer ?? [];
    const hasFiles = tensors.some((tensor) => tensor.dataLocation === 1);
    const session = await openSession(hasFiles && url !== undefined ? url : bytes, {
      name,
      ...(threads === undefined ? {} : { threads }),
      ...(externalData === undefined ? {} : { externalData }),
      ...(runtime === undefined ? {} : { runtime }),
      ...(signal === undefined ? {} : { signal }),
    });
    try {
      const { inputs, outputs } = session;
      const bindings = matchTensors({
        ...{ name, inputs, outputs, manifest, by },
        derived: Object.keys(derived),
      });
      const { cutoff, reach } = reachOf(loaded, bindings);
      const { energy: _, length } = unitsOf(manifest);
      const opened: OnnxOpened = {
        ...{ name, session, bindings, derived, skin, cutoff, reach },
        constants: manifest.constants ?? {},
        elements: elementsOf(manifest),
        isHalf: manifest.neighbours === "half",
        perAngstrom: 1 / length,
      };
      const opset = opsetOf(loaded.file);
      const whyOnHost = hasFiles
        ? "its weights are in other files"
        : opset < OPSETS.first || opset > OPSETS.last
        ? `its opset is ${opset}, and ${OPSETS.first} to ${OPSETS.last} can be rewritten for WebGPU`
        : undefined;
      return new OnnxModel(opened, describeOnnx(loaded, opened), { bytes, whyOnHost });
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /**
   * What is in the file, what its tensors are taken for and who says so, units, what WebGPU could run of it; and, after
   * it has run on a GPU, what comparing that with wasm has shown.
   */
  describe(): string {
    return [this.#summary, ...this.#notes].join("\n");
  }

  /**
   * See {@linkcode Model.open}. On a GPU it runs there, on the buffers of the state, where it can take them as they are;
   * else the host runs it, with copies there and back at each step, and `describe` says why.
   *
   * Throws a RangeError that names an atom of an element it does not know.
   */
  open(state: ResidentBatch): OpenModel {
    const backend = gpuOf(state.backend);
    if (backend === undefined) return openOnHost(this.#opened, state);
    try {
      const why = this.#whyOnHost ?? whyOnHost(this.#opened.bindings, state.batch.size);
      if (why === undefined) {
        const note = (text: string) => void this.#notes.add(text);
        const assertOpen = () => this.#assertOpen();
        const more = { bytes: this.#bytes, checks: this.#checks, note, assertOpen };
        const model = { ...this.#opened, ...more };
        return openOnGpu(model, backend, state);
      }
      this.#notes.add(`on WebGPU the host runs it, as ${why}`);
    } catch (error) {
      if (!(error instanceof UnsupportedNodeError)) throw error;
      this.#notes.add(`on WebGPU the host runs it: ${error.message}`);
    }
    return openOnHost(this.#opened, state);
  }

  #assertOpen(): void {
    if (!this.#isDisposed) return;
    throw new Error(`Cannot run ${this.name} as it must be open: it was disposed of`);
  }

  /** Gives the session back. Engines that have it can then do no further step. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#opened.session.dispose();
  }

  /** The same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

/** How far edges and triplets go. Throws a RangeError where nobody says so. */
function reachOf(
  { name, manifest: { cutoff, reach, neighbours } }: LoadedOnnx,
  { hasEdges, hasTriplets }: OnnxBindings,
): { readonly cutoff: number; readonly reach: number } {
  const where = "in the options, in a manifest of JSON beside its file, or in the file's metadata";
  if (hasEdges && cutoff === undefined) {
    throw new RangeError(
      `Cannot open ${name} as somebody must say how far its edges reach, as in { "cutoff": 5 } (Å), ${where}: ` +
        "nobody does",
    );
  }
  if (hasTriplets && reach === undefined) {
    throw new RangeError(
      `Cannot open ${name} as somebody must say how long the edges of its triplets are at most, as in ` +
        `{ "reach": 3.5 } (Å), ${where}: nobody does`,
    );
  }
  if (hasTriplets && !(reach! <= cutoff!)) {
    throw new RangeError(
      `Cannot open ${name} as its reach must be at most its cutoff, ${cutoff} Å: current value is ${reach}`,
    );
  }
  if (hasTriplets && neighbours === "half") {
    throw new RangeError(
      `Cannot open ${name} as its neighbours must be full where it is fed triplets: current value is half`,
    );
  }
  return { cutoff: hasEdges ? cutoff! : 0, reach: hasTriplets ? reach! : 0 };
}
