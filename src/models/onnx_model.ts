import { atomicNumber, atomicSymbol } from "../batch/elements.ts";
import { NeighbourList } from "../batch/neighbours.ts";
import type { NeighbourEdges } from "../batch/neighbours_edges.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { decodeModel } from "../onnx/codec.ts";
import { describeModel, showModel } from "../onnx/describe_model.ts";
import { openSession } from "../onnx/session.ts";
import type { SessionOptions } from "../onnx/session_options.ts";
import type { Session } from "../onnx/session_run.ts";
import { dataOf, type Feeds, type HostFeed } from "../onnx/session_tensor.ts";
import { type Model, type OpenModel, outputsOf, valuesOf } from "./model.ts";
import {
  matchTensors,
  type OnnxInput,
  type OnnxManifest,
  type OnnxTensors,
} from "./onnx_manifest.ts";

/** How an {@linkcode OnnxModel} is opened. */
export interface OnnxModelOptions extends Partial<OnnxManifest> {
  /**
   * What errors call it.
   *
   * @default "an ONNX model"
   */
  readonly name?: string;
  /** Threads of the runtime. @default as many as the runtime takes by itself */
  readonly threads?: number;
  /** How much further pairs are kept than the cutoff, Å. @default 0.5 */
  readonly skin?: number;
}

/** A shift that puts a pair beyond every cutoff, Å: what lists are padded with adds exactly nothing. */
const FAR = 100;
/** Lists grow in steps of so many edges, so that shapes repeat. */
const GRAIN = 256;

/**
 * A potential in an .onnx file, with energies and forces: evaluated by onnxruntime-web, on the CPU.
 *
 * What its tensors mean is guessed from their names, or said by the options; the cutoff may stand in the file's own
 * metadata, as `cutoff`.
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
 */
export class OnnxModel implements Model, AsyncDisposable {
  /** What it is called. */
  readonly name: string;
  /** What it gives. */
  readonly gives: readonly ["energy", "forces"] = ["energy", "forces"];
  /** Å. */
  readonly cutoff: number;
  readonly #session: Session;
  readonly #tensors: OnnxTensors;
  readonly #options: OnnxModelOptions;
  readonly #summary: string;

  private constructor(
    session: Session,
    tensors: OnnxTensors,
    options: OnnxModelOptions,
    cutoff: number,
    summary: string,
  ) {
    this.name = session.name;
    this.cutoff = cutoff;
    this.#session = session;
    this.#tensors = tensors;
    this.#options = options;
    this.#summary = summary;
  }

  /**
   * Opens a model from the bytes of its file.
   *
   * @throws {SyntaxError} for what is no model
   * @throws {ModelMismatchError} where it is not known what a tensor means
   * @throws {RangeError} where nobody says how far it reaches
   */
  static async open(bytes: Uint8Array, options: OnnxModelOptions = {}): Promise<OnnxModel> {
    const { name = "an ONNX model", threads } = options;
    const file = decodeModel(bytes, { name });
    const told = file.metadataProps.find(({ key }) => key === "cutoff")?.value;
    const cutoff = options.cutoff ?? (told === undefined ? undefined : Number(told));
    if (typeof cutoff !== "number" || !(cutoff > 0 && cutoff < Infinity)) {
      throw new RangeError(
        `Cannot open ${name} as its cutoff must be a number above 0, in its options or in the file's metadata: ` +
          `current value is ${String(cutoff)}`,
      );
    }
    const settings: SessionOptions = { name, ...(threads === undefined ? {} : { threads }) };
    const session = await openSession(bytes, settings);
    try {
      const tensors = matchTensors(name, session.inputs, session.outputs, { ...options, cutoff });
      return new OnnxModel(session, tensors, options, cutoff, showModel(describeModel(file)));
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /** What is in the file, and what its tensors are taken for. */
  describe(): string {
    const { inputs, outputs } = this.#tensors;
    const taken = [
      ...[...inputs].map(([meaning, { name }]) => `${name} → ${meaning}`),
      ...[...outputs].map(([meaning, name]) => `${name} → ${meaning}`),
    ];
    return `${this.#summary}\n${taken.join("\n")}\ncutoff ${this.cutoff} Å`;
  }

  /** See {@linkcode Model.open}. Throws a RangeError that names an atom of an element it does not know. */
  open(state: ResidentBatch): OpenModel {
    const { skin = 0.5, neighbours = "full", energyUnit = 1 } = this.#options;
    const list = new NeighbourList({
      cutoff: this.cutoff,
      skin,
      format: "coo",
      half: neighbours === "half",
    });
    const constants = this.#constants(state);
    const [positions, cell] = [state.field("positions"), state.field("cell")];
    const outputs = outputsOf(state);
    const names = this.#tensors.outputs;
    return {
      compute: async () => {
        const { backend, batch } = state;
        const edges = list.update({
          nodeOffsets: batch.nodeOffsets,
          positions: backend.view(positions),
          cell: backend.view(cell),
          pbc: Uint8Array.from(backend.view(state.field<"i32">("pbc"))),
          ...(state.images === undefined ? {} : { images: backend.view(state.images) }),
        });
        const feeds = { ...constants, ...this.#feeds(state, edges) };
        const given = await this.#session.run(feeds, [names.get("energy")!, names.get("forces")!]);
        add(
          state,
          outputs,
          dataOf(given, names.get("energy")!, "float32"),
          dataOf(given, names.get("forces")!, "float32"),
          energyUnit,
        );
      },
    };
  }

  /** Gives the session back. */
  async dispose(): Promise<void> {
    await this.#session.dispose();
  }

  /** The same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #numbersOf(state: ResidentBatch): Int32Array {
    const { batch } = state;
    const { elements } = this.#options;
    const own = elements === undefined ? undefined : new Map(
      Object.entries(elements).map(([symbol, number]) => [atomicNumber(symbol), number]),
    );
    return Int32Array.from(valuesOf(state, "numbers")).map((number, node) => {
      if (own === undefined) return number;
      const mapped = own.get(number);
      if (mapped !== undefined) return mapped;
      const system = batch.systemOfNode[node]!;
      throw new RangeError(
        `Cannot use ${this.name} as it must know every element, and it knows ${
          Object.keys(elements!).join(", ")
        }: atom ${node - batch.nodeOffsets[system]!} of system ${system} is ${
          atomicSymbol(number)
        }`,
      );
    });
  }

  /** What stays as it is from step to step. */
  #constants(state: ResidentBatch): Feeds {
    const { batch } = state;
    return this.#fed({
      numbers: () => ({ data: this.#numbersOf(state), dims: [batch.nodeCount] }),
      batchIndex: () => ({ data: batch.systemOfNode, dims: [batch.nodeCount] }),
      systems: () => ({ data: new Float32Array(batch.size), dims: [batch.size] }),
    });
  }

  /** What moves with the atoms. */
  #feeds(state: ResidentBatch, edges: NeighbourEdges): Feeds {
    const { backend, batch } = state;
    const padded = Math.max(GRAIN, Math.ceil(edges.count / GRAIN) * GRAIN);
    return this.#fed({
      positions: () => ({
        data: backend.view(state.field("positions")),
        dims: [batch.nodeCount, 3],
      }),
      edges: () => ({ data: bothRows(edges, padded), dims: [2, padded] }),
      edgeSources: () => ({ data: row(edges, 0, padded), dims: [padded] }),
      edgeTargets: () => ({ data: row(edges, 1, padded), dims: [padded] }),
      shifts: () => ({ data: shiftsOf(state, edges, padded), dims: [padded, 3] }),
      edgeBatchIndex: () => ({
        data: row(edges, 0, padded).map((node) => batch.systemOfNode[node]!),
        dims: [padded],
      }),
    });
  }

  /** Of these meanings, the tensors that the model has. */
  #fed(values: { readonly [k in OnnxInput]?: () => Plain }): Feeds {
    return Object.fromEntries(
      [...this.#tensors.inputs].flatMap(([meaning, { name, dtype }]) => {
        const value = values[meaning]?.();
        return value === undefined ? [] : [[name, fed(value, dtype)]];
      }),
    );
  }
}

/** Numbers of any type, to be fed as the model wants them. */
interface Plain {
  readonly data: Float32Array | Float64Array | Int32Array;
  readonly dims: readonly number[];
}

function fed({ data, dims }: Plain, dtype: string): HostFeed {
  if (dtype === "int64") return { data: BigInt64Array.from(data, BigInt), dims };
  if (dtype === "int32") return { data: Int32Array.from(data), dims };
  if (dtype === "float64") return { data: Float64Array.from(data), dims };
  return { data: Float32Array.from(data), dims };
}

/** One of the two rows of a list, padded with atom 0. */
function row({ edges, count }: NeighbourEdges, which: 0 | 1, padded: number): Int32Array {
  const all = new Int32Array(padded);
  all.set(edges.subarray(which * count, (which + 1) * count));
  return all;
}

function bothRows(edges: NeighbourEdges, padded: number): Int32Array {
  const both = new Int32Array(2 * padded);
  both.set(row(edges, 0, padded));
  both.set(row(edges, 1, padded), padded);
  return both;
}

/** What is to be added to the vector of each pair, Å: whole lattice vectors; far away where the list is padded. */
function shiftsOf(state: ResidentBatch, list: NeighbourEdges, padded: number): Float64Array {
  const cell = state.backend.view(state.field("cell"));
  const { systemOfNode } = state.batch;
  const shifts = new Float64Array(3 * padded);
  for (let e = 0; e < padded; e++) {
    if (e >= list.count) {
      shifts[3 * e] = FAR;
      continue;
    }
    const h = 9 * systemOfNode[list.edges[e]!]!;
    for (let k = 0; k < 3; k++) {
      shifts[3 * e + k] = list.shifts[3 * e]! * cell[h + k]! +
        list.shifts[3 * e + 1]! * cell[h + 3 + k]! + list.shifts[3 * e + 2]! * cell[h + 6 + k]!;
    }
  }
  return shifts;
}

/** Adds what the model gave to the systems that move. */
function add(
  state: ResidentBatch,
  to: ReturnType<typeof outputsOf>,
  energies: Float32Array,
  forces: Float32Array,
  unit: number,
): void {
  const { backend, batch: { nodeOffsets, size } } = state;
  const active = backend.view(state.frame.active);
  const [energy, all] = [backend.view(to.energy), backend.view(to.forces)];
  for (let s = 0; s < size; s++) {
    if (active[s] === 0) continue;
    energy[s]! += unit * energies[s]!;
    for (let k = 3 * nodeOffsets[s]!; k < 3 * nodeOffsets[s + 1]!; k++) {
      all[k]! += unit * forces[k]!;
    }
  }
}
