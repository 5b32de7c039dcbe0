/** Training where all sessions of a process have one number of threads, as in Node. */
import { assertEquals, assertRejects } from "@std/assert";
import { fineTune, openPotential } from "../../../src/training/mod.ts";
import { fileOf, labeled, referenceOf } from "../../models/made_reference.ts";
import { MANIFEST, pairsModel } from "./pairs_model.ts";

// Modules of a test file are its own: no session has been opened yet.
Object.defineProperty(Deno, "version", { value: undefined });

const MODEL = pairsModel(0.02);
const FRAME = { symbols: ["Ar", "Kr"], positions: [0, 0, 0, 3, 0, 0], energy: 0 };
const TUNING = {
  manifest: MANIFEST,
  train: [FRAME],
  valid: 0,
  forces: false,
  epochs: 1,
  runtime: "web",
} as const;

Deno.test("fitted energies of elements leave the trainer its number of threads", async () => {
  const { outcome } = await fineTune({ ...TUNING, model: MODEL });
  assertEquals(outcome.status, "completed");
});

Deno.test("a comparison has the threads that it is given, and one by default", async () => {
  const file = await referenceOf(MODEL, { ...MANIFEST, runtime: "evaluator" }, [
    labeled("pair", FRAME),
  ]);
  const reference = fileOf(file);
  await openPotential(MODEL, { ...MANIFEST, runtime: "web", reference });
  const { message } = await assertRejects(
    () => openPotential(MODEL, { ...MANIFEST, runtime: "web", reference, threads: 3 }),
    RangeError,
  );
  assertEquals(
    /threads must be 1, as in the first session of this process; got 3/.test(message),
    true,
  );
});
