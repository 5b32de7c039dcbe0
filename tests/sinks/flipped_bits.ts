/** Files of three frames with one flipped bit. */
import { Batch } from "../../src/batch/mod.ts";
import { openSink, verifySink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

/** Flipped bits with an unexpected effect. */
export interface Flips {
  /** Bits that `verifySink` does not report. */
  readonly unseen: readonly string[];
  /** Bits after which opening the file changes it. */
  readonly changed: readonly string[];
}

/** The result without unexpected effects. */
export const isAsItWas: Flips = { unseen: [], changed: [] };

/** Flips each bit of the bytes that `isMeant` chooses, one at a time. */
export async function flipsOf(
  ending: string,
  isMeant: (byte: number, place: number, all: Uint8Array) => boolean,
): Promise<Flips> {
  const unseen: string[] = [], changed: string[] = [];
  await withFolder(async (folder) => {
    const path = `${folder}/x.${ending}`, all = await written(path);
    for (let bit = 0; bit < 8 * all.length; bit++) {
      if (!isMeant(all[bit >> 3]!, bit >> 3, all)) continue;
      const wrong = all.slice();
      wrong[bit >> 3]! ^= 1 << (bit & 7);
      await Deno.writeFile(path, wrong);
      const { damage } = await verifySink(path);
      if (damage.length === 0) unseen.push(`byte ${bit >> 3}, bit ${bit & 7}`);
      await openSink(path, { onWarning: () => {} }).then((sink) => sink.close(), () => {});
      const after = await Deno.readFile(path);
      const isSame = after.length === wrong.length && after.every((byte, i) => byte === wrong[i]);
      if (!isSame) changed.push(`byte ${bit >> 3}, bit ${bit & 7}`);
    }
  });
  return { unseen, changed };
}

async function written(path: string): Promise<Uint8Array> {
  const sink = await openSink(path);
  for (let i = 0; i < 3; i++) {
    await sink.write(
      Batch.from([{ symbols: ["Ar", "He"], positions: [i, 0, 0.5, 1 / 3, 2, 3] }]),
    );
    await sink.flush();
  }
  await sink.close();
  return await Deno.readFile(path);
}
