// Loops over very many pairs. Mesa's software GPU ends the loops of a thread after 65,535 rounds in all, without a word.
import { assertMatch } from "@std/assert";
import { openWebGpu } from "../../src/backend/mod.ts";
import { Batch } from "../../src/batch/mod.ts";
import { DivergedError, NVE } from "../../src/dynamics/mod.ts";
import { lennardJones, type PairExclusions } from "../../src/models/mod.ts";
import { assertNear } from "../../src/testing/mod.ts";
import { fast, few, slow } from "../suite.ts";
import { device, testOnGpu } from "./gpu.ts";

/** A cubic cell, how far pairs reach, and atoms on a cubic lattice in it. */
interface Crowd {
  readonly side: number;
  readonly cutoff: number;
  readonly atoms: number;
  readonly exclude?: PairExclusions;
}

/** Returns the energy on the GPU, or the message of the error; and the energy in WebAssembly. */
async function energiesOf({ side, cutoff, atoms, exclude }: Crowd) {
  const each = Math.ceil(Math.cbrt(atoms));
  const positions = Array.from(
    { length: atoms },
    (_, i) => [i % each, Math.floor(i / each) % each, Math.floor(i / each / each)],
  ).flat().map((k) => k * side / each + 0.3);
  const batch = Batch.from([{
    symbols: new Array(atoms).fill("Ar"),
    positions,
    cell: [side, 0, 0, 0, side, 0, 0, 0, side],
    pbc: true,
    info: { name: "crowd" },
  }]);
  const model = lennardJones({
    epsilon: 0.0104,
    sigma: 3.4,
    cutoff,
    ...(exclude && { exclude }),
  });
  await using md = new NVE({ model, dt: 1 });
  const right = (await md.run(batch.clone(), 0)).get("energy")[0]!;
  await using gpu = new NVE({ model, dt: 1, backend: await openWebGpu({ device: device! }) });
  const found = await gpu.run(batch, 0).then(
    (done) => done.get("energy")[0]!,
    (error: unknown) => {
      if (error instanceof DivergedError) return error.message;
      throw error;
    },
  );
  return { found, right };
}

/** Checks that the energy is right, or that an error says why there is none. */
async function assertRightOrRefused(crowd: Crowd, words: RegExp): Promise<void> {
  const { found, right } = await energiesOf(crowd);
  if (typeof found === "string") assertMatch(found, words);
  else assertNear([found], [right], 1e-4);
}

/** True if the GPU is software, which ends long loops. */
const isSoftware = device?.adapterInfo.isFallbackAdapter === true ||
  /llvmpipe|swiftshader/i.test(device?.adapterInfo.description ?? "");

const TOO_MANY =
  /^System 0 .*an atom has more pairs than this GPU can process: its faces are \S+ Å apart along a, and pairs reach \S+ Å \(cutoff \S+ Å, skin 1.5 Å\). Pass device: "wasm", or use a shorter cutoff or a supercell$/;

testOnGpu(
  "the energy is correct, or an error says that the cell is too small for the cutoff",
  async () => {
    // About 7,000 pairs, with which every GPU can go through.
    const { found, right } = await energiesOf({ side: 5, cutoff: 55, atoms: 1 });
    assertNear([found as number], [right], 1e-4);
    if (isSoftware) { // 110,000 pairs
      assertMatch(String((await energiesOf({ side: 5, cutoff: 150, atoms: 1 })).found), TOO_MANY);
    }
    for (const cutoff of few([], [60, 70, 75, 80, 100, 120, 150])) {
      await assertRightOrRefused({ side: 5, cutoff, atoms: 1 }, TOO_MANY);
    }
  },
);

fast(testOnGpu)(
  "with many exclusions the energy is correct, or the run fails",
  async () => {
    const pairs = Array.from({ length: 40 }, (_, i) => [i, 39] as const).filter(([i, j]) => i < j);
    const exclude = { pairs };
    await assertRightOrRefused({ side: 13, cutoff: 50, atoms: 40, exclude }, /are not finite/);
  },
);

slow(testOnGpu)(
  "energies are right, or errors say why there is none, whatever the cell and the cutoff",
  async () => {
    for (const atoms of [3, 31, 62, 64, 200, 900]) {
      const side = 4 * Math.cbrt(atoms);
      for (const candidates of [10_000, 30_000, 50_000, 70_000]) {
        const cutoff = 2 * Math.cbrt(candidates);
        await assertRightOrRefused({ side, cutoff, atoms }, TOO_MANY);
      }
    }
  },
);
