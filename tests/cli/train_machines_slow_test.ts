/** `hooke fine-tune` on two processes, which are killed and attacked. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { checkpointsIn, readCheckpoint } from "../../src/checkpoint/mod.ts";
import type { SavedTrainer } from "../../src/training/mod.ts";
import { inputs } from "./argon_frames.ts";
import { hooke, tempFolder } from "./session.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** A process of the command. */
interface Machine {
  readonly child: Deno.ChildProcess;
  /** Resolves once the output has a text. Rejects if the process ends before. */
  saw(text: string): Promise<void>;
  /** Resolves when the process ends: its exit code and output. */
  readonly ended: Promise<{ readonly code: number; readonly text: string }>;
}

function start(args: readonly string[]): Machine {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-prompt", MAIN, ...args],
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const waiting = new Set<() => void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (const look of waiting) look();
    }
  };
  const ended = Promise.all([child.status, read(child.stdout), read(child.stderr)])
    .then(([{ code }]) => ({ code, text }));
  const saw = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => text.includes(wanted) && resolve();
      waiting.add(look);
      look();
      ended.then(() => reject(new Error(`"${wanted}" did not come: ${text}`)));
    });
  return { child, saw, ended };
}

/** Sends bytes to a port, and returns what comes back until the other side closes. */
async function attack(port: number, bytes: Uint8Array): Promise<Uint8Array> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(bytes);
  return new Uint8Array(
    await new Response(connection.readable).arrayBuffer().catch(() => new ArrayBuffer()),
  );
}

async function arraysOf(run: string): Promise<SavedTrainer["arrays"]> {
  const [newest] = await checkpointsIn(`${run}/checkpoints`);
  return ((await readCheckpoint(newest!.path)).data as SavedTrainer).arrays;
}

Deno.test("a training on two processes has the bits of one, although both are killed and strangers come", async () => {
  await using folder = await tempFolder();
  const { path } = folder, { model, frames } = await inputs(path);
  const common = `fine-tune ${model} ${frames} --set modelOptions.cutoff=5 --runtime web --json
    --epochs 8 --batch-size 6 --shards 2 --checkpoint-every 2 --ema`.split(/\s+/);
  assertEquals((await hooke([...common, "-o", `${path}/one`])).code, 0);
  const machine = (rank: number) =>
    start([
      ...common,
      ...`-o ${path}/two --restart-latest --nnodes 2 --node-rank ${rank} --rendezvous ${path}/meet
        --listen 127.0.0.1 --peer-timeout 30`.split(/\s+/),
    ]);
  const [first, second] = [machine(0), machine(1)];
  await first.saw('"epoch":2,');
  const { port } = JSON.parse(await Deno.readTextFile(`${path}/meet/machine-0.json`));
  const length = Uint8Array.of(0x48, 0x4b, 0x54, 0x47, 1, 1, 0, 0, 255, 255, 255, 255);
  for (const bytes of [new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n"), length]) {
    assertEquals((await attack(port, bytes)).length, 0);
  }
  using _silent = await Deno.connect({ hostname: "127.0.0.1", port });
  second.child.kill("SIGKILL");
  await second.ended;
  await first.saw("Lost a machine");
  const third = machine(1);
  await first.saw('"epoch":5,');
  first.child.kill("SIGKILL");
  await first.ended;
  await third.saw("Lost a machine");
  const fourth = machine(0);
  const [one, two] = await Promise.all([fourth.ended, third.ended]);
  assertEquals([one.code, two.code], [0, 0], one.text + two.text);
  assertStringIncludes(two.text, "Going on from the last checkpoint");
  const [a, b] = [await arraysOf(`${path}/one`), await arraysOf(`${path}/two`)];
  assert(Object.keys(a).includes("ema"));
  assertEquals(b, a);
  assertEquals(
    await Deno.readFile(`${path}/two/model.onnx`),
    await Deno.readFile(`${path}/one/model.onnx`),
  );
});
