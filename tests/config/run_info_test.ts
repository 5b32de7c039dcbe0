// Options of a plain trainer from configurations, and the facts of a run in its logs.
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { configHash, type HooksConfig } from "@hooke/hooke/config";
import { gitCommit, type RunStart } from "@hooke/hooke/runs";
import { hook, type TrainingContext, TrainingStage } from "@hooke/hooke";
import { Trainer, type TrainerParts } from "@hooke/hooke/training";
import { tinyParts } from "./tiny_training.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the facts that all logs of a trainer write when training begins. */
async function begun(options: Partial<TrainerParts>): Promise<{
  console: string[];
  json: Record<string, unknown>[];
  runLog: RunStart;
}> {
  const outputDir = await Deno.makeTempDir(), lines: string[] = [], runLines: string[] = [];
  try {
    await using trainer = new Trainer({ ...tinyParts(), ...options });
    trainer.addConsoleLogging({ write: (line) => lines.push(line) });
    trainer.addJsonLogging({ outputDir, fileName: "log.jsonl" });
    trainer.addRunLog({ write: (line) => void runLines.push(line) });
    await trainer.train();
    const text = await Deno.readTextFile(`${outputDir}/logs/log.jsonl`);
    return {
      console: lines,
      json: text.trimEnd().split("\n").map((line) => JSON.parse(line)),
      runLog: JSON.parse(runLines[0]!),
    };
  } finally {
    await Deno.remove(outputDir, { recursive: true });
  }
}

Deno.test("run id, git commit and hash of the configuration are logged when training starts, without asking, one id in all logs", async () => {
  const config = { lr: 0.01, layers: [1] };
  const { console, json, runLog } = await begun({ config });
  const [, begin] = json;
  const { id, configHash: runHash } = runLog,
    commit = await gitCommit(),
    hash = await configHash(config);
  assertMatch(id, UUID);
  assertEquals(console[1], `run ${id}  commit ${commit}  config ${hash}`);
  assertEquals([begin!.event, begin!.commit, begin!.configHash, begin!.config], [
    "train_begin",
    commit,
    hash,
    config,
  ]);
  assertEquals([[...new Set(json.map(({ runId }) => runId))], runHash], [[id], hash]);
});

Deno.test("with runInfo false no log has the commit or the hash", async () => {
  const { console, json } = await begun({ config: { lr: 0.01 }, runInfo: false });
  assertEquals(console.filter((line) => line.startsWith("run ")), []);
  assertEquals(json.filter((line) => "commit" in line || "configHash" in line), []);
});

// git_commit_test.ts shows that it is unknown without permission to read, and without a prompt.
Deno.test("without a repository and a configuration the commit and the hash are absent", async () => {
  const before = Deno.cwd(), folder = await Deno.makeTempDir();
  Deno.chdir(folder);
  try {
    const { console, json, runLog } = await begun({});
    assertEquals(console[1], `run ${runLog.id}`);
    assertEquals(json.filter((line) => "commit" in line || "configHash" in line), []);
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder);
  }
});

Deno.test("trainer.config is the option of that name, and is in the context of onTrainBegin", async () => {
  const config = { debug: true }, seen: unknown[] = [];
  const watch = hook({
    name: "watch",
    on: {
      training: {
        TRAIN_BEGIN: (ctx) => void seen.push(ctx.config, ctx.trainer.config, ctx.run?.id),
        TRAIN_END: (ctx) => void seen.push("config" in ctx, ctx.trainer.config),
      },
    },
  });
  await using trainer = new Trainer({ ...tinyParts(), config, hooks: [watch] });
  await trainer.train();
  assert(trainer.config === config && seen[0] === config && seen[1] === config);
  assertMatch(seen[2] as string, UUID);
  assertEquals(seen.slice(3), [false, config]);
  const hooksConfig: HooksConfig = { hooks: { update: [{ name: "identity" }] } };
  await using configured = new Trainer({ ...tinyParts(), hooksConfig });
  assert(configured.config === hooksConfig);
  await using bare = new Trainer(tinyParts());
  assertEquals(bare.config, undefined);
  assertThrows(
    () => new Trainer({ ...tinyParts(), config: { sizes: new Map() } }),
    TypeError,
    "config.sizes",
  );
});

Deno.test("a plain Trainer accepts hooksConfig, and waits for its hooks before it trains", async () => {
  const lines: string[] = [], write = (line: string) => void lines.push(line);
  const hooksConfig: HooksConfig = {
    enableLoggingHook: true,
    loggingConfig: { write },
    hooks: { update: [{ name: "identity", enabled: false }] },
  };
  await using trainer = new Trainer({ ...tinyParts(), hooksConfig });
  await trainer.train();
  assertEquals(trainer.hooks.list().map(({ name, enabled }) => [name, enabled]), [
    ["logging", true],
    ["identity", false],
  ]);
  assertMatch(lines.at(-1)!, /^training completed/);
  // Functions in a configuration of hooks are not part of its hash.
  const { loggingConfig: _, ...plain } = hooksConfig;
  const hash = await configHash({ ...plain, loggingConfig: {} });
  assertEquals(lines[1]!.split("config ")[1], hash);

  // A URL counts by its text.
  const place = (outputDir: string | URL): HooksConfig => ({
    hooks: { other: [{ name: "json_log", outputDir, enabled: false }] },
  });
  await using elsewhere = new Trainer({ ...tinyParts(), hooksConfig: place(new URL("file:///x")) });
  const records: string[] = [];
  elsewhere.addRunLog({ write: (line) => void records.push(line) });
  await elsewhere.train();
  assertEquals(JSON.parse(records[0]!).configHash, await configHash(place("file:///x")));

  const misspelt = { hooks: { update: [{ name: "idenity" }] } };
  const began: string[] = [];
  await using refused = new Trainer({
    ...tinyParts(),
    hooksConfig: misspelt,
    hooks: [{ onTrainBegin: () => void began.push("began") }],
  });
  for (let i = 0; i < 2; i++) {
    await assertRejects(() => refused.train(), RangeError, "did you mean identity?");
  }
  assertEquals(began, []);
});

Deno.test("train() of a plain Trainer waits for hooks of addHooks that are being created", async () => {
  await using trainer = new Trainer(tinyParts());
  const seen: string[] = [];
  trainer.hooks.add({
    name: "see",
    stage: TrainingStage.TRAIN_BEGIN,
    frequency: 1,
    call: ({ workflow }: TrainingContext) =>
      void seen.push(...workflow.hooks.list().map(({ name }) => name)),
  });
  const adding = trainer.addHooks({ hooks: { other: [{ name: "clip_gradients", norm: 1 }] } });
  await trainer.train();
  assertEquals(seen, ["see", "clip_gradients"]);
  await adding;
});

Deno.test("a plain Trainer has the conveniences of document 003", async () => {
  await using trainer = new Trainer(tinyParts());
  const outputDir = await Deno.makeTempDir();
  const handles = [
    trainer.addConsoleLogging({ logEveryNBatches: 10, write: () => {} }),
    trainer.addJsonLogging({ logEveryNBatches: 100, outputDir }),
    trainer.addCheckpointing({ saveEveryNEpochs: 1, outputDir }),
    trainer.addRunLog({ write: () => {} }),
  ];
  assertEquals(handles.map(({ name }) => name), [
    "console_log",
    "json_log",
    "checkpoint",
    "runLog",
  ]);
  assertThrows(() => trainer.addConsoleLogging(), RangeError);
  trainer.removeHook("console_log");
  trainer.disableHook("json_log");
  await trainer.train();
  const names = [...Deno.readDirSync(outputDir)].map(({ name }) => name);
  assertEquals([names.includes("logs"), names.some((name) => name.includes("epoch"))], [
    false,
    true,
  ]);
  await Deno.remove(outputDir, { recursive: true });
});
