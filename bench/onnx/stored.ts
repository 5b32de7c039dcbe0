/**
 * The batches that stand beside the real models, as systems.
 *
 * @module
 */

/** A system of atoms in vacuum. */
export interface StoredSystem {
  readonly numbers: number[];
  /** Å, three per atom. */
  readonly positions: number[];
}

/** A tensor of a file of references. */
interface Tensor {
  readonly type: string;
  readonly b64: string;
}

/** The batch that a model was computed on. `elements`: the atomic numbers of its species, where it has its own. */
export async function storedSystems(
  folder: string,
  model: "ani1x_1" | "schnet",
  elements?: readonly number[],
): Promise<StoredSystem[]> {
  const { inputs } = JSON.parse(await Deno.readTextFile(`${folder}/${model}_ref.json`));
  const [owners, species, positions] = ["batch_idx", elements ? "species" : "z", "positions"]
    .map((name) => numbersOf(inputs[name])) as [number[], number[], number[]];
  return Array.from({ length: Math.max(...owners) + 1 }, (_, s) => {
    const atoms = owners.flatMap((owner, i) => owner === s ? [i] : []);
    return {
      numbers: atoms.map((i) => elements?.[species[i]!] ?? species[i]!),
      positions: atoms.flatMap((i) => positions.slice(3 * i, 3 * i + 3)),
    };
  });
}

function numbersOf({ type, b64 }: Tensor): number[] {
  const { buffer } = Uint8Array.fromBase64(b64);
  return type === "int64"
    ? Array.from(new BigInt64Array(buffer), Number)
    : [...new Float32Array(buffer)];
}
