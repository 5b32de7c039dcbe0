/**
 * Writes to a sink on a small disk and to one beside it until the small disk is full, frees space, and
 * continues. Prints a report. Started by a test.
 */
import { Batch } from "../../src/batch/mod.ts";
import { openSink, type StoredSink } from "../../src/sinks/mod.ts";

/** Report of a run. */
export interface Told {
  /** Number of frames in the full sink, before space was freed and at the end. */
  readonly lengths: readonly number[];
  /** Number of frames in the sink beside it. */
  readonly beside: number;
  /** Error of the first frame that did not fit. */
  readonly message: string;
  readonly code: unknown;
  /** The steps that can be read from the full sink. */
  readonly steps: readonly number[];
}

/** Returns the frame of a step. */
export function frameAt(step: number): Batch {
  const positions = Array.from({ length: 300 }, (_, i) => step + i / 3);
  const batch = Batch.from([{ numbers: new Int32Array(100).fill(18), positions, energy: step }]);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  return batch;
}

async function tellOf(folder: string, beside: string, ending: string): Promise<Told> {
  const filler = `${folder}/filler`;
  await Deno.writeFile(filler, new Uint8Array(64 << 10));
  const full = await openSink(`${folder}/x.${ending}`);
  const other = await openSink(`${beside}/x.${ending}`);
  let failure: (Error & { code?: unknown }) | undefined;
  let step = 0;
  for (; failure === undefined; step++) {
    await other.write(frameAt(step));
    failure = await failureOf(full, step);
  }
  const lengths = [full.length];
  await Deno.remove(filler);
  for (const last = step + 3; step < last; step++) {
    await other.write(frameAt(step));
    const again = await failureOf(full, step);
    if (again !== undefined) throw again;
  }
  await full.close();
  await other.close();
  lengths.push(full.length);
  const steps = ending === "csv" ? [] : [...(await full.read()).get("step")];
  const { message, code } = failure;
  return { lengths, beside: other.length, message, code, steps };
}

async function failureOf(sink: StoredSink, step: number): Promise<Error | undefined> {
  try {
    await sink.write(frameAt(step));
    await sink.flush();
  } catch (error) {
    return error as Error;
  }
}

if (import.meta.main) {
  const [folder, beside, ending] = Deno.args as [string, string, string];
  console.log(JSON.stringify(await tellOf(folder, beside, ending)));
}
