/** docs/coming_from.md: every example of the originals has a port, which is not much longer, and does what it says. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Batch, fcc, rattle } from "../../src/batch/mod.ts";
import { FIRE } from "../../src/dynamics/mod.ts";
import { Loop } from "../../src/hooks/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { scriptedTrainer } from "../../src/testing/mod.ts";
import { getTrainer } from "../../src/config/mod.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { writeExamples } from "../../tools/suite/examples.ts";
import { printed } from "../../tools/suite/run_example.ts";
import { outputDir, parts } from "../../examples/parts/plane.ts";

const PATH = "docs/coming_from.md";
const PAGE = await Deno.readTextFile(new URL(PATH, ROOT));
const MOST = 1.2;

/** An example and its port. */
interface Pair {
  readonly title: string;
  readonly original: string;
  readonly port: string;
}

/** Blocks of a page in order: the last heading before each, its language and its code. */
function blocksOf(page: string) {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language, 2: code }) => {
      const titles = [...page.slice(0, index).matchAll(/^##+ (.*)$/gm)];
      return { title: titles.at(-1)![1]!, language: language!, code: code! };
    },
  );
}

/** Pairs of a page. Throws if an original is not followed by a port. */
function pairsOf(page: string): Pair[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ title, language, code: original }, i): Pair[] => {
    if (language !== "python") return [];
    const next = blocks[i + 1];
    assert(next?.language === "ts" && next.title === title, `${title} has no port`);
    return [{ title, original, port: next.code }];
  });
}

/** Python without docstrings, comments and blank lines; an import is one line. */
function pythonLines(code: string): string[] {
  return code
    .replaceAll(/^\s*"""[\s\S]*?"""\s*$/gm, "")
    .replaceAll(/^from .* import \([^)]*\)/gm, "import")
    .split("\n").filter((line) => /\S/.test(line) && !/^\s*#/.test(line));
}

/** The same of TypeScript. */
function typescriptLines(code: string): string[] {
  return code
    .replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "")
    .replaceAll(/^import [^;]*;/gm, (text) => text.replaceAll("\n", " "))
    .split("\n").filter((line) => /\S/.test(line) && !/^\s*\/\//.test(line));
}

/** Counts the lines to compare. Names that an original does not define are imported by a relative path. */
function lengthsOf({ original, port }: Pair): { readonly original: number; readonly port: number } {
  const originals = pythonLines(original);
  const hasImports = originals.some((line) => /^(from|import)\b/.test(line));
  const ports = typescriptLines(port).filter((line) =>
    !line.startsWith("import ") || hasImports && !/from "\.\.?\//.test(line)
  );
  return { original: originals.length, port: ports.length };
}

const PAIRS = pairsOf(PAGE);

Deno.test("lines of a port are counted: imports once, comments and docstrings not at all", () => {
  const original =
    'from a import (\n    b,\n)\n\nclass C:\n    """Doc\n    more."""\n    # why\n    x = 1\n';
  const port =
    'import {\n  b,\n} from "b";\nimport { d } from "../d.ts";\n\n/** Doc. */\nclass C {\n  // why\n  x = 1;\n}\n';
  assertEquals(lengthsOf({ title: "", original, port }), { original: 3, port: 4 });
  const bare = original.replace(/^from[^)]*\)/, "");
  assertEquals(lengthsOf({ title: "", original: bare, port }), { original: 2, port: 3 });
});

Deno.test("no port of docs/coming_from.md is longer than 1.2 times its original", () => {
  const long = PAIRS.filter((pair) => {
    const { original, port } = lengthsOf(pair);
    return port > MOST * original;
  });
  assertEquals(long.map((pair) => [pair.title, lengthsOf(pair)]), []);
  assert(PAIRS.length >= 37, `${PAIRS.length} pairs`);
});

const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => {
  for (const path of [folder, outputDir]) Deno.removeSync(path, { recursive: true });
});
await writeExamples([PATH], ROOT, folder);
const PORTS = blocksOf(PAGE).filter(({ language }) => language === "ts");

/** Imports a port by the words that it has; each is run once. */
// deno-lint-ignore no-explicit-any -- modules that are written while the tests run
async function port(words: string): Promise<any> {
  const found = PORTS.flatMap(({ code }, i) => code.includes(words) ? [i] : []);
  assertEquals(found.length, 1, words);
  return await import(`file://${folder}/example_${found[0]}.ts`);
}

/** Relaxes a crystal for some steps, and returns what was printed. */
async function relaxed(hook: unknown, steps = 2): Promise<string> {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  await using opt = new FIRE({ model, dt: 0.5, hooks: [hook] as never });
  return (await printed(async () => void await opt.run(batch, steps))).output;
}

/** Trains by a script, and returns what was printed. */
async function trained(
  hooks: readonly unknown[],
  epochs: Parameters<typeof scriptedTrainer>[0]["epochs"],
): Promise<string> {
  const trainer = scriptedTrainer({ epochs, hooks: hooks as never, onWarning: () => {} });
  return (await printed(async () => void await trainer.train())).output;
}

/** Trains the model of the page with hooks of a configuration. */
async function configured(config: object, epochs = 1): Promise<string> {
  await using trainer = getTrainer("simple", { ...parts, epochs });
  return (await printed(async () => {
    await trainer.addHooks(config);
    await trainer.train();
  })).output;
}

Deno.test("ports of hooks for dynamics do what they say", async () => {
  const { MyHook } = await port("class MyHook {\n  readonly stage");
  assertMatch(await relaxed(new MyHook()), /^Step 0: energy = -\d.*\nStep 1: energy = -\d.*\n$/);
  const { PrintFmaxHook } = await port("class PrintFmaxHook");
  assertMatch(await relaxed(new PrintFmaxHook(), 1), /^Step 0: fmax = 0\.\d{4} eV\/Å\n$/);
  const { StepTimerHook } = await port("class StepTimerHook");
  assertMatch(await relaxed(new StepTimerHook(), 1), /^Step 0: \d+\.\d ms\n$/);
  const { FileWriterHook } = await port("class FileWriterHook");
  const path = `${folder}/energies.csv`;
  await relaxed(new FileWriterHook(path), 11);
  assertMatch(await Deno.readTextFile(path), /^0,-\d.*\n10,-\d.*\n$/);
});

Deno.test("the port of the universal logger logs all kinds of loops", async () => {
  const { universalLogger, MyPipelineStage } = await port("universalLogger = ");
  assertMatch(await relaxed(universalLogger, 1), /^\[dynamics\] step 0: fmax=0\.\d{4}\n$/);
  const loop = new Loop({
    kinds: MyPipelineStage,
    step: (loop) => loop.fire(MyPipelineStage.AFTER_PROCESS),
  }, { hooks: [universalLogger] });
  const { output } = await printed(async () => void await loop.run(1));
  assertEquals(output, "[pipeline] step 0: processed\n");
});

Deno.test("ports of ready-made hooks for dynamics are what they say", async () => {
  const { byFmax, byForces } = await port("byFmax = ");
  assertEquals([byFmax, byForces].map(({ criteria }) => criteria[0].key), ["fmax", "forces"]);
  const both = (await port("energyChange")).hook;
  assertEquals(both.criteria.length, 2);
  const sends = (await port("sourceStatus")).hook;
  assertEquals([sends.sourceStatus, sends.targetStatus], [0, 1]);
  for (
    const words of [
      "export const hook = new Log",
      "export const hook = new Snap",
      "export const hook = new ConvergedSnap",
    ]
  ) {
    assert([1, 10, 50].includes((await port(words)).hook.frequency ?? 1), words);
  }
  const { opt } = await port("export const opt");
  assertEquals(opt.hooks.list().length, 2);
  const { relaxed: end } = await port("traj.zarr");
  assertEquals(end.size, 1);
  const files = [...Deno.readDirSync(outputDir)].map(({ name }) => name);
  for (const name of ["hooks.csv", "traj.zarr", "relaxed.zarr"]) assert(files.includes(name), name);
});

Deno.test("ports of configurations are followed by a trainer", async () => {
  const configs = PORTS.flatMap(({ code }, i) => /export const config: /.test(code) ? [i] : []);
  assertEquals(configs.length, 5);
  for (const i of configs) {
    const { config } = await import(`file://${folder}/example_${i}.ts`);
    const { modelCheckpointConfig: saves } = config;
    if (saves !== undefined) saves.dir = `${outputDir}/best`;
    await configured(config, 2);
  }
  const saved = [...Deno.readDirSync(`${outputDir}/best`)].map(({ name }) => name);
  assert(saved.includes("last.hooke") && saved.length >= 2, String(saved));
  const { hooks } = await port("createHooks({");
  assertEquals(hooks.length, 2);
});

Deno.test("the port of the custom hook counts high losses and halves rates", async () => {
  const { MyCustomHook } = await port("class MyCustomHook");
  const epochs = [{ losses: [15, 4], validation: { "val/accuracy": 0.5 } }];
  assertMatch(
    await trained([new MyCustomHook()], epochs),
    /^Training started!\nStarting epoch 0\nHigh loss detected: 15.0000\nValidation metrics: \{.*\}\nAccuracy improvement: 0.5000\nTraining completed in \d+\.\d\d seconds\n$/,
  );
  const module = await Deno.readTextFile(new URL("examples/hooks/my_custom_hook.ts", ROOT));
  const shown = PORTS.find(({ code }) => code.includes("class MyCustomHook"))!.code;
  assert(module.endsWith(shown.slice(shown.indexOf("export class"))), "the module is the port");
  await port("scriptedTrainer(");
});

Deno.test("ports that register hooks have them in the order that they say", async () => {
  const names = (trainer: { hooks: { list(): { name: string }[] } }) =>
    trainer.hooks.list().map(({ name }) => name);
  const { trainer } = await port("// 3. Written in place");
  assertEquals(names(trainer).length, 3);
  assertEquals((await port("const order")).order, ["MyHook1", "MyHook2"]);
  const runner = await port(`{ Trainer } from "@hooke/hooke";\nimport { MyHook1`);
  assertEquals(names(runner.trainer), ["MyHook1", "MyHook2"]);
});

Deno.test("ports of hooks with state, conditions and samples do what they say", async () => {
  const { StatefulHook } = await port("class StatefulHook");
  const stateful = new StatefulHook();
  const flat = Array.from({ length: 6 }, () => ({ losses: [1, 3] }));
  assertEquals(await trained([stateful], flat), "Training plateau detected!\n");
  assertEquals(stateful.epochLosses, [2, 2, 2, 2, 2, 2]);

  const { producerHook, consumerHook } = await port("producerHook = ");
  assertEquals(
    await trained([producerHook, consumerHook], flat.slice(0, 1)),
    "Received metric: 0.95\n",
  );
  const { ConditionalHook } = await port("class ConditionalHook");
  const late = await trained([new ConditionalHook({ enableAfterEpoch: 5 })], flat);
  assertEquals(late.match(/Epoch \d/g), ["Epoch 5", "Epoch 5"]);
  const { configurableHook } = await port("function configurableHook");
  const every = await trained([configurableHook({ frequency: 4, verbose: true })], flat);
  assertEquals(every.trim().split("\n").length, 3);
  const { efficientHook } = await port("function efficientHook");
  const sampled = await trained([efficientHook()], [{ losses: Array<number>(1000).fill(1) }]);
  const analyzed = sampled.trim().split("\n").length;
  assert(analyzed > 60 && analyzed < 140, `${analyzed} of 1000`);
  const { RobustHook } = await port("class RobustHook");
  const trainer = scriptedTrainer({
    epochs: flat,
    hooks: [new RobustHook()],
    onWarning: () => {},
  });
  assertEquals((await trainer.train()).status, "completed");
  assert(trainer.hooks.list()[0]!.errors > 0);
});

Deno.test("ports of messages and of debugging do what they say", async () => {
  const { notification } = await port("new Webhook(");
  const posted: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    posted.push((await request.json()).text);
    return new Response();
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await trained([notification(url)], [{ losses: [1], validation: { "val/loss": 1 } }]);
  await server.shutdown();
  assertEquals(posted.length, 2, String(posted));
  const { debugHook } = await port("new NanGuard(");
  const output = await trained([debugHook()], [{ losses: [1, NaN] }]);
  assertMatch(output, /loss.*not finite|not finite.*loss/);
});

Deno.test("ports of lists of events are called at each event that a run has", async () => {
  const epochs = [{ losses: [1, 1], validation: { "val/loss": 1 } }];
  for (
    const [words, most] of [["class TrainerHooks", 4], [
      "class MyHook {\n  onTrainBegin",
      1,
    ]] as const
  ) {
    const hook = new (Object.values<new () => object>(await port(words))[0]!)();
    const prototype = Object.getPrototypeOf(hook), called = new Set<string>();
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
    for (const name of methods) prototype[name] = () => void called.add(name);
    await trained([hook], epochs);
    const missing = methods.filter((name) => !called.has(name));
    assert(missing.length <= most, `${words}: ${missing}`);
  }
});

Deno.test("ports of hooks of trainers with names do what they say", async () => {
  const { GradHistogramHook } = await port("class GradHistogramHook");
  const { trainer } = await port("class CustomHook");
  trainer.addHook(new GradHistogramHook());
  trainer.addHook(await port("function onBatchEnd").then(({ onBatchEnd }) => ({ onBatchEnd })));
  const { output } = await printed(async () => void await trainer.train());
  assertMatch(output, /^Average loss: \d\.\d{4}$/m);
  assertMatch(output, /^step \d+: grad_norm\/encoder \d/m);
  assertMatch(output, /avgLoss: \d.*status: "training"/s);
  const managed = (await port("// Manage hooks")).trainer.hooks.list();
  assertEquals(
    managed.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled]),
    [["MyHook1", true], ["json_log", true]],
  );
  assertEquals((await port("// Train with hooks")).outcome.status, "completed");
  const files = [...Deno.readDirSync(outputDir)].map(({ name }) => name);
  assert(files.includes("logs") && files.some((name) => /^checkpoint/.test(name)), String(files));
});

/** Fenced blocks of a document, or, if it has no fences, its paragraphs that look like code. */
function codeOf(document: string): string[] {
  const blocks = [...document.matchAll(/```(\S*)\s([\s\S]*?)```/g)];
  const fenced = blocks.flatMap(([, language, code]) => language === "{tip}" ? [] : [code!]);
  if (fenced.length > 0) return fenced;
  const isCode = /^(?:from|import|class|def|@|optimizer\.|hook_runner|… step body)|^ {4}\S/m;
  return document.split(/\n\n+/).filter((paragraph) => isCode.test(paragraph));
}

/** Blocks of the documents that are no examples of use, by words that only they have, and why. */
const NO_EXAMPLES: Readonly<Record<string, string>> = {
  "monitoring.py # Monitoring": "names of files",
  "TrainingHook (base class)": "a diagram of classes",
  "# ↓ calls hooks at these points": "the order of events; docs/training lists it",
  "@dataclass class StepContext": "a signature; docs/training has a table of its fields",
  "optimizer.zero_grad() # grads cleared here": "the order of a loop",
  "… step body …": "the order of a loop",
};
const SEEDS = new URL("../shared/seeds/", ROOT);
const words = (code: string) => code.replaceAll(/\s+/g, " ");
const bare = (code: string) => code.replaceAll(/\s+/g, "");

Deno.test("every example of the original documents has a port", async () => {
  const originals = PAIRS.map(({ original }) => bare(original));
  const used = new Set<string>(), missing: string[] = [];
  for (const name of seeds()) {
    for (const code of codeOf(await Deno.readTextFile(new URL(name, SEEDS)))) {
      const reason = Object.keys(NO_EXAMPLES).find((key) => words(code).includes(key));
      if (reason !== undefined) used.add(reason);
      else if (!originals.some((original) => original.includes(bare(code)))) missing.push(code);
    }
  }
  assertEquals(missing, []);
  if (seeds().length > 0) assertEquals([...used].sort(), Object.keys(NO_EXAMPLES).sort());
});

/** Names of the original documents, if they are beside this repository. */
function seeds(): string[] {
  try {
    return [...Deno.readDirSync(SEEDS)].map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
