/** The tables of step numbers in docs/stages.md against runs of three steps. */
import { assertEquals } from "@std/assert";
import { hook } from "@hooke/hooke";
import { NVE } from "@hooke/hooke/dynamics";
import { LoggingHook } from "@hooke/hooke/observe";
import { tensorData, Trainer } from "@hooke/hooke/training";
import { tinyParts } from "../config/tiny_training.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";
import { tablesOf } from "./tables.ts";

const table = tablesOf(await Deno.readTextFile(new URL("../../docs/stages.md", import.meta.url)));

/** The step counts that hooks have found, by stage. */
type Seen = Map<string, number[]>;

function note(seen: Seen, stage: string, count: number): void {
  const name = stage.split("/")[1]!;
  seen.set(name, [...seen.get(name) ?? [], count]);
}

async function dynamics(): Promise<{ seen: Seen; after: number[] }> {
  const seen: Seen = new Map(), rows: number[] = [];
  const see = hook({
    name: "see",
    on: { dynamics: { "*": ({ stepCount }, stage) => note(seen, stage, stepCount) } },
  });
  const writerFn = (step: number) => void rows.push(step);
  const log = new LoggingHook({ backend: "custom", writerFn });
  await using md = new NVE({ model: ARGON, dt: 1, hooks: [see, log] });
  await md.run(crystals(1), 3);
  const { loop } = await md.save();
  return { seen, after: [md.stepCount, loop.stepCount, rows.at(-1)!] };
}

async function training(): Promise<{ seen: Seen; after: number[] }> {
  const seen: Seen = new Map(), outputDir = await Deno.makeTempDir();
  const see = hook({
    name: "see",
    on: { training: { "*": ({ stepCount }, stage) => note(seen, stage, stepCount) } },
  });
  const x = { data: Float32Array.of(1, 2), dims: [2, 1] };
  const data = tensorData({ x, wanted: x }, { batchSize: 2 }); // an epoch is a step
  try {
    await using trainer = new Trainer({ ...tinyParts(), data, hooks: [see], epochs: 3 });
    trainer.addJsonLogging({ outputDir, fileName: "log.jsonl", logEveryNBatches: 1 });
    await trainer.train();
    const lines = (await Deno.readTextFile(`${outputDir}/logs/log.jsonl`)).trimEnd().split("\n");
    const rows = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "batch");
    const { loop } = await trainer.save();
    return { seen, after: [trainer.stepCount, loop.stepCount, rows.at(-1)!.step] };
  } finally {
    await Deno.remove(outputDir, { recursive: true });
  }
}

Deno.test("docs/stages.md has the step number of each kind at every stage, log and checkpoint, as runs have it", async () => {
  const kinds: Record<string, { seen: Seen; after: number[] }> = {
    dynamics: await dynamics(),
    training: await training(),
  };
  for (const [kind, stages, first, third] of table("step numbers of")) {
    for (const stage of stages!.split(", ")) {
      const counts = kinds[kind!]!.seen.get(stage) ?? [];
      assertEquals([counts[0], counts[2]], [Number(first), Number(third)], `${kind}/${stage}`);
    }
  }
  const rows = table("number after three steps");
  assertEquals(rows.map(([, n]) => Number(n)), kinds.dynamics!.after);
  assertEquals(rows.map(([, , n]) => Number(n)), kinds.training!.after);
});
