// The content of run logs of training: document 004, "Run Logging with Hook Information".
import { assert, assertEquals, assertMatch } from "@std/assert";
import { configHash, getTrainer } from "@hooke/hooke/config";
import {
  gitCommit,
  type RunChange,
  type RunEnd,
  type RunRecord,
  type RunStart,
} from "@hooke/hooke/runs";
import { tinyParts } from "./tiny_training.ts";

/** Returns a trainer with a run log, and its lines so far. */
function logged(epochs: number, options: { id?: string; config?: unknown; commit?: string } = {}) {
  const lines: RunRecord[] = [];
  const trainer = getTrainer("simple", { ...tinyParts(), epochs });
  trainer.addRunLog({ write: (line) => void lines.push(JSON.parse(line)), ...options });
  return { trainer, lines };
}

Deno.test("a run has a unique id, logged before the first step", async () => {
  const [a, b] = [logged(1), logged(1)];
  await using first = a.trainer;
  await using second = b.trainer;
  const steps: number[] = [];
  first.hooks.add({ onTrainBegin: () => void steps.push(a.lines.length) });
  await first.train();
  await second.train();
  assertEquals(steps, [1]);
  const [start] = a.lines as [RunStart];
  assertMatch(start.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  assertEquals([start.type, start.step, start.engine], ["start", 0, "trainer"]);
  assert(start.id !== b.lines[0]!.id);
  assertEquals(start.device, { device: "wasm", skipped: [] });
});

Deno.test("the commit is logged, or a placeholder if there is no repository", async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.cwd();
  const commitOf = async () => {
    const { trainer, lines } = logged(1);
    await using _ = trainer;
    await trainer.train();
    return (lines[0] as RunStart).commit;
  };
  const here = await commitOf();
  assertEquals(here, await gitCommit());
  assertMatch(here, /^[0-9a-f]{40}$/);
  try {
    Deno.chdir(folder);
    assertEquals(await commitOf(), "unknown");
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder);
  }
});

Deno.test("the hash of the configuration is logged: equal for equal ones, different for others", async () => {
  const hashOf = async (config: unknown) => {
    const { trainer, lines } = logged(1, { config });
    await using _ = trainer;
    await trainer.train();
    return (lines[0] as RunStart).configHash;
  };
  const config = { lr: 0.01, hooks: { update: [{ name: "identity" }] } };
  assertEquals(await hashOf(config), await configHash(config));
  assert(await hashOf(config) !== await hashOf({ ...config, lr: 0.02 }));
  assertEquals(await hashOf(undefined), null);
});

Deno.test("all hooks are logged with their names, and whether they are enabled", async () => {
  const { trainer, lines } = logged(1);
  await using _ = trainer;
  await trainer.addHooks({
    hooks: { update: [{ name: "identity" }, { name: "identity", enabled: false }] },
  });
  await trainer.train();
  const [start, end] = lines as [RunStart, RunEnd];
  const wanted = [["runLog", true], ["identity", true], ["identity-2", false]];
  assertEquals(start.hooks.map(({ name, enabled }) => [name, enabled]), wanted);
  assertEquals(start.hooks[1]?.stages, ["training/GRADIENTS"]);
  assertEquals(end.outcome, { status: "completed" });
});

Deno.test("each change of a hook's state is logged with its step", async () => {
  const { trainer, lines } = logged(2);
  await using _ = trainer;
  await trainer.addHooks({ hooks: { update: [{ name: "identity" }] } });
  trainer.hooks.add({
    name: "switch",
    onBatchEnd: ({ stepCount }) => {
      if (stepCount === 2) trainer.disableHook("identity");
      if (stepCount === 5) trainer.enableHook("identity");
      if (stepCount === 6) trainer.removeHook("identity");
    },
  });
  await trainer.train();
  const changes = lines.filter((line): line is RunChange => line.type === "change");
  assertEquals(changes.map(({ change, hook, step }) => [change, hook, step]), [
    ["disable", "identity", 2],
    ["enable", "identity", 5],
    ["remove", "identity", 6],
  ]);
  const states = changes.map(({ hooks }) => hooks.find(({ name }) => name === "identity")?.enabled);
  assertEquals(states, [false, true, undefined]);
});

Deno.test("a run that is resumed from a checkpoint keeps its id, and counts its segments", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/run.hooke`;
    const [a, b, c] = [logged(1), logged(2), logged(3)];
    await using first = a.trainer;
    await first.train();
    await first.saveCheckpoint(path);
    await using second = b.trainer;
    await second.loadCheckpoint(path);
    await second.train();
    await second.saveCheckpoint(path);
    await using third = c.trainer;
    await third.loadCheckpoint(path);
    await third.train();
    const changes = [a, b, c].flatMap(({ lines }) =>
      lines.map(({ type, id, segment, step }) => [type, id === a.lines[0]!.id, segment, step])
    );
    assertEquals(changes, [
      ["start", true, 0, 0],
      ["end", true, 0, 4],
      ["start", true, 1, 4],
      ["end", true, 1, 8],
      ["start", true, 2, 8],
      ["end", true, 2, 12],
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a checkpoint written in mid-run resumes as the next segment, with the disabled hooks", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/run.hooke`;
    const [a, b] = [logged(2), logged(2)];
    await using first = a.trainer;
    await using second = b.trainer;
    for (const trainer of [first, second]) {
      await trainer.addHooks({ hooks: { update: [{ name: "identity" }] } });
    }
    second.hooks.add({ name: "switch", onStepEnd() {} });
    first.hooks.add({
      name: "switch",
      onStepEnd: ({ stepCount }) => {
        if (stepCount !== 3) return;
        first.disableHook("identity");
        first.checkpointSoon(path);
        first.stop("that is enough");
      },
    });
    await first.train();
    await second.loadCheckpoint(path);
    await second.train();
    const [start] = b.lines as [RunStart];
    assertEquals([start.id, start.segment, start.step], [a.lines[0]!.id, 1, 3]);
    assertEquals(start.hooks.find(({ name }) => name === "identity")?.enabled, false);
    assertEquals((a.lines.at(-1) as RunEnd).outcome.status, "stopped");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a run that fails logs the reason", async () => {
  const { trainer, lines } = logged(1);
  await using _ = trainer;
  trainer.hooks.add({ name: "gate", onMayUpdate: () => "yes" as never });
  await trainer.train().catch(() => {});
  const { outcome } = lines.at(-1) as RunEnd;
  assert(
    outcome.status === "failed" && outcome.error.message.includes("gate"),
    JSON.stringify(outcome),
  );
});

Deno.test("a run has one id in the run log and the JSON log, also after resuming", async () => {
  const folder = await Deno.makeTempDir(), path = `${folder}/run.hooke`;
  const idsOf = async (prepare: (made: ReturnType<typeof logged>) => unknown, id?: string) => {
    const made = logged(2, id === undefined ? {} : { id });
    await using trainer = made.trainer;
    const fileName = `${crypto.randomUUID()}.jsonl`, file = `${folder}/logs/${fileName}`;
    trainer.addJsonLogging({ outputDir: folder, fileName, logEveryNBatches: 1 });
    await prepare(made);
    await trainer.train();
    await trainer.saveCheckpoint(path);
    const rows = (await Deno.readTextFile(file)).trimEnd().split("\n").map((row) =>
      JSON.parse(row)
    );
    return new Set([...made.lines.map(({ id }) => id), ...rows.map(({ runId }) => runId)]);
  };
  try {
    const ids = await idsOf(() => {});
    assertEquals(ids.size, 1);
    assertEquals(await idsOf(({ trainer }) => trainer.loadCheckpoint(path)), ids);
    assertEquals(await idsOf(() => {}, "mine"), new Set(["mine"]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
