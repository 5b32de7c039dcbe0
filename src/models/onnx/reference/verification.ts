/**
 * Comparison of a model with its reference, made once for each runtime and device.
 *
 * @module
 */

import { reasonOf } from "../../../base/show.ts";
import type { Backend } from "../../../backend/mod.ts";
import { openBackend } from "../../../backend/open.ts";
import { Batch } from "../../../batch/batch.ts";
import { atomicSymbol } from "../../../batch/elements.ts";
import { evaluateModel } from "../../evaluate.ts";
import type { Model, OpenModel } from "../../model.ts";
import type { OnnxManifest } from "../manifest/manifest.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import { type OnnxOpened, openOnHost } from "../open_on_host.ts";
import { type Alternative, alternativesTo } from "./alternatives.ts";
import { compareWith, type Parity, showParity, worstOf } from "./compare.ts";
import type { FoundReference } from "./find_reference.ts";
import type { OnnxReference } from "./reference.ts";

/** A model and the reference with which it is compared. */
export interface Verifiable {
  /** The model in its session on the host. */
  readonly opened: OnnxOpened;
  /** Manifest of the model. */
  readonly manifest: OnnxManifest;
  /** Reference of the model, with its origin. */
  readonly found: FoundReference;
  /**
   * True if functions in the options affect the results. A cache key cannot identify functions, so findings are not
   * shared with other models of the same file.
   */
  readonly isNameless: boolean;
  /** Returns the model with another manifest, in the same session. */
  readonly reopen: (manifest: OnnxManifest) => OnnxOpened;
}

/** The runtime on which a model runs, with its device and backend. */
export interface VerifiedPlace {
  /** Name of the runtime, such as `"wasm"`. */
  readonly runtime: string;
  /** Device of the runtime. Each device has its own findings. */
  readonly device?: object;
  /** Backend that runs kernels and holds the batch. */
  readonly backend: Backend;
  /** Factor by which the tolerance of the reference is multiplied. */
  readonly slack?: number;
}

/** Findings of all models in this process, by a key of runtime, model file, reference file and manifest. */
const FINDINGS = new Map<string, Promise<Parity>>();
/** Findings of all models in this process by device, for each device by the key of `FINDINGS`. */
const DEVICE_FINDINGS = new WeakMap<object, Map<string, Promise<Parity>>>();

/** Comparison of one model with its reference on several runtimes. Each finding is cached. */
export class Verification {
  readonly #model: Verifiable;
  readonly #own = new Map<string, Promise<Parity>>();

  /** Creates the verification. Nothing is compared yet. */
  constructor(model: Verifiable) {
    this.#model = model;
  }

  /**
   * Compares the model in its host session with its reference. Returns the finding as text.
   *
   * @throws {ModelMismatchError} if the results differ from those of the reference
   */
  async onHost(): Promise<string> {
    const { opened } = this.#model, { device } = opened.session;
    const backend = openBackend(device === "evaluator" ? "reference" : "wasm");
    try {
      const open: Model["open"] = (state) => openOnHost(opened, state);
      return await this.at({ runtime: device, backend }, open);
    } finally {
      backend.dispose();
    }
  }

  /**
   * Compares the model that `open` opens with its reference, unless the finding for this runtime is known. Returns
   * the finding as text.
   */
  async at(place: VerifiedPlace, open: Model["open"]): Promise<string> {
    const { found, manifest, isNameless } = this.#model;
    const { runtime, device } = place;
    const known = isNameless ? this.#own : device === undefined ? FINDINGS : findingsOf(device);
    const { reference, hash, by } = found;
    const key = `${runtime} ${reference.model} ${hash} ${JSON.stringify(manifest)}`;
    let parity = known.get(key);
    if (parity === undefined) {
      known.set(key, parity = this.#compare(place, open));
      parity.catch(() => known.delete(key));
    }
    const result = await parity;
    const count = result.structures;
    return `agrees with ${by.replace(/^the/, "its")}: ${showParity(result.largest)}, of ${count} ` +
      `structure${count === 1 ? "" : "s"}, on ${runtime}${showExcused(reference, result)}` +
      this.#showUncovered();
  }

  /**
   * Wraps an open model so that it is compared with its reference before its first evaluation. `open` opens the model
   * for the batch of the comparison. `note` receives the finding as text.
   */
  guard(
    inner: OpenModel,
    place: VerifiedPlace,
    open: Model["open"],
    note: (text: string) => void,
  ): OpenModel {
    let isDone = false;
    const compute: NonNullable<OpenModel["compute"]> = (wanted) => {
      if (isDone) return inner.compute!(wanted);
      return this.at(place, open).then((text) => {
        isDone = true;
        note(text);
        return inner.compute!(wanted);
      });
    };
    return { ...inner, compute };
  }

  /**
   * Returns the last clause of a finding, which names the elements of the model that occur in no structure of the
   * reference; `""` if all elements occur.
   */
  #showUncovered(): string {
    const { opened: { elements: { numbers } }, found: { reference } } = this.#model;
    const covered = new Set(reference.structures.flatMap(({ symbols }) => symbols));
    const left = [...numbers?.keys() ?? []].map(atomicSymbol).filter((one) => !covered.has(one));
    if (left.length === 0) return "";
    const more = left.length > MOST_ELEMENTS ? ` and ${left.length - MOST_ELEMENTS} more` : "";
    return `; no structure has ${left.slice(0, MOST_ELEMENTS).join(", ")}${more}`;
  }

  async #compare(place: VerifiedPlace, open: Model["open"]): Promise<Parity> {
    const { opened, found: { reference, by } } = this.#model;
    const { slack = 1 } = place;
    const all = [...reference.structures.keys()];
    let parity: Parity;
    try {
      parity = await this.#parity(open, all, place.backend, slack);
    } catch (cause) {
      if (!(cause instanceof RangeError) && !(cause instanceof ModelMismatchError)) throw cause;
      throw new ModelMismatchError(opened.name, {
        expected: `it must be able to evaluate the structures of ${by}`,
        found: reasonOf(cause),
        wouldMap: {},
        remedy: REMEDY,
      });
    }
    if (parity.beyond.length === 0) return parity;
    const hint = await this.#hint(parity, place);
    throw new ModelMismatchError(opened.name, {
      expected: `its results must agree with ${by}`,
      found: `${showBeyond(reference, parity)}, on ${place.runtime}`,
      wouldMap: {},
      remedy: `${hint}; ${REMEDY}`,
    });
  }

  async #parity(
    open: Model["open"],
    which: readonly number[],
    backend: Backend,
    slack: number,
  ): Promise<Parity> {
    const { found: { reference }, opened: { bindings } } = this.#model;
    const has = (...meanings: string[]) =>
      bindings.outputs.some(({ meaning }) => meanings.includes(meaning));
    const results = await evaluateModel({ open }, batchOf(reference, which), backend);
    const hasEnergy = has("energy"), hasStress = has("stress", "virial");
    return compareWith(reference, which, results, { hasEnergy, hasStress, slack });
  }

  /** Returns a likely cause of the differences as text. */
  async #hint({ beyond, factor }: Parity, { runtime, slack = 1 }: VerifiedPlace): Promise<string> {
    const { opened, manifest, found: { reference } } = this.#model;
    if (runtime !== opened.session.device) {
      return `it agrees on ${opened.session.device}, so the results of ${runtime} are wrong`;
    }
    if (beyond.every(({ quantity }) => quantity === "energy")) {
      return "its forces agree, so energies of free atoms are probably missing or wrong (atomEnergies)";
    }
    const sizes = reference.structures.map(({ symbols }) => symbols.length);
    const failing = [...new Set(beyond.map(({ structure }) => structure))]
      .sort((a, b) => sizes[a]! - sizes[b]!);
    const backend = openBackend("reference");
    try {
      for (const one of alternativesTo(manifest, opened, factor !== undefined)) {
        if (await this.#agrees(one, failing, backend, slack)) return `it agrees with ${one.text}`;
      }
    } finally {
      backend.dispose();
    }
    if (factor !== undefined) {
      return `its forces are ${
        factor.toPrecision(5)
      } times those of the reference: check energyUnit and scale`;
    }
    return "no single other unit, order of elements, direction of edges or common cutoff explains it: " +
      "check cutoff, elements, units and the meanings of its inputs";
  }

  /**
   * Returns whether the model agrees with its reference under another manifest. `failing` are the indices of the
   * compared structures, the smallest structures first.
   */
  async #agrees(
    { manifest, change = (same) => same }: Alternative,
    failing: readonly number[],
    backend: Backend,
    slack: number,
  ): Promise<boolean> {
    try {
      const opened = change(this.#model.reopen(manifest));
      for (const structure of failing) {
        const open: Model["open"] = (state) => openOnHost(opened, state);
        const { beyond } = await this.#parity(open, [structure], backend, slack);
        if (beyond.length > 0) return false;
      }
      return true;
    } catch {
      return false; // the model cannot be opened or run with this manifest
    }
  }
}

/** Largest number of uncovered elements that a finding lists. */
const MOST_ELEMENTS = 20;

const REMEDY = "correct the manifest, or pass verify: false to run it as it is";

function findingsOf(device: object): Map<string, Promise<Parity>> {
  const known = DEVICE_FINDINGS.get(device) ?? new Map<string, Promise<Parity>>();
  DEVICE_FINDINGS.set(device, known);
  return known;
}

/**
 * Returns structures of a reference as a batch. The label of each system names the structure in error messages.
 * `which` contains the indices of the structures.
 */
function batchOf({ structures }: OnnxReference, which: readonly number[]): Batch {
  return Batch.from(which.map((s) => {
    const { symbols, positions, cell, pbc } = structures[s]!;
    const info = { label: nameOf(structures, s) };
    return { symbols, positions, info, ...(cell === null ? {} : { cell, pbc }) };
  }));
}

function nameOf(structures: OnnxReference["structures"], s: number): string {
  const { label } = structures[s]!;
  return `structure ${s} of the reference${label === undefined ? "" : `, ${label}`}`;
}

function placeOf({ structures }: OnnxReference, s: number): string {
  const { label } = structures[s]!;
  return label === undefined ? `structure ${s}` : `structure ${s} (${label})`;
}

/**
 * Returns the last clause of a finding, which describes the differences beyond the tolerance that float32 explains;
 * `""` if there are no such differences.
 */
function showExcused(reference: OnnxReference, { excused }: Parity): string {
  if (excused.length === 0) return "";
  const worst = worstOf(excused);
  const places = [...new Set(worst.map(({ structure }) => placeOf(reference, structure)))];
  return `; PyTorch in float32 is beyond the tolerance, too: ${showParity(worst)} of ${
    places.join(", ")
  }`;
}

/** Describes the largest difference beyond the tolerance of each quantity as text. */
function showBeyond(reference: OnnxReference, { beyond }: Parity): string {
  return worstOf(beyond).map(({ structure, quantity, off, found, wanted, limit }) => {
    const where = placeOf(reference, structure);
    const unit = quantity === "energy" ? "eV per atom" : "of the largest";
    return `${quantity} of ${where}: ${found.toPrecision(6)} instead of ${
      wanted.toPrecision(6)
    }, off by ` +
      `${off.toPrecision(2)} ${unit}, but at most ${Number(limit.toPrecision(2))} is allowed`;
  }).join("; ");
}
