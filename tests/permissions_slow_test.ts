/** Each command runs with exactly the permissions of its task; what it lacks is named with its reason and a cure. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../src/cli/commands.ts";
import { fcc, rattle } from "../src/batch/mod.ts";
import { writeExtxyz } from "../src/batch/extxyz/mod.ts";
import { GraphBuilder } from "../src/onnx/mod.ts";
import { ROOT } from "../tools/check/entry_points.ts";

const PATH = (path: string) => fileURLToPath(new URL(path, ROOT));

/** Flags of the task `hooke`, with the path of its lock file made absolute. */
async function taskFlags(): Promise<string[]> {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const [, flags] = /^deno run (.*) src\/cli\/main\.ts$/.exec(tasks.hooke.command)!;
  return flags!.split(" ").map((flag) =>
    flag.startsWith("--lock=") ? `--lock=${PATH(flag.slice("--lock=".length))}` : flag
  );
}

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function hooke(folder: string, args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      ...await taskFlags(),
      PATH("src/cli/main.ts"),
      ...args,
    ],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Returns an untrained potential of pairs, which depends on positions and has a parameter. */
function potential(): Uint8Array {
  const g = new GraphBuilder("pairs");
  const positions = g.input("positions", "f32", ["N", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]), shifts = g.input("shifts", "f32", ["E", 3]);
  const systems = g.input("batch_idx", "i64", ["N"]), zeros = g.input("energy0", "f32", ["B"]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const vectors = g.add(g.sub(g.gather(positions, to!), g.gather(positions, from!)), shifts);
  const away = g.sub(g.reduceSum(g.mul(vectors, vectors), [1], true), g.constant("f32", [12, 14]));
  const gaussians = g.op("Exp", [g.op("Neg", [g.mul(away, away)], "f32")], "f32");
  const heights = g.parameter("heights", new Float32Array([0.01, 0.02]), [2, 1]);
  const energies = g.squeeze(g.op("MatMul", [gaussians, heights], "f32"), [1]);
  g.output("energy", g.scatterAdd(zeros, g.gather(systems, from!), energies), ["B"]);
  return g.build();
}

async function prepare(folder: string): Promise<void> {
  const frames = [1, 2, 3, 4].map((seed) => rattle(fcc({ element: "Ar", a: 5.26 }), 0.05, seed));
  const write = (name: string, text: string) => Deno.writeTextFile(`${folder}/${name}`, text);
  await write("a.xyz", writeExtxyz(frames[0]!));
  await write("frames.xyz", writeExtxyz(frames));
  await Deno.mkdir(`${folder}/in`);
  for (const [i, frame] of frames.entries()) await write(`in/${i}.xyz`, writeExtxyz(frame));
  await Deno.writeFile(`${folder}/pairs.onnx`, potential());
  await write("pairs.json", '{ "cutoff": 5 }');
  const stages = [{ stage: "relax", fmax: 0.05 }];
  await write("recipe.json", JSON.stringify({ model: "lj:argon", stages }));
  await write(
    "hook.ts",
    "export default { stage: 'dynamics/AFTER_STEP', frequency: 1, call() {} };",
  );
}

/** A run of each command in order, later ones with the files of earlier ones. A command may have several. */
const RUNS: readonly (readonly string[])[] = [
  ["relax", "a.xyz", "--cell"],
  ["md", "a.xyz", "--steps", "20", "-o", "run", "--quiet"],
  ["resume", "run", "--steps", "30", "--quiet"],
  ["screen", "in", "-o", "screened", "--quiet"],
  ["singlepoint", "frames.xyz", "-o", "sp.xyz"],
  ["inspect", "run"],
  ["plot", "run"],
  ["plot", "run", "-o", "run.svg"],
  ["report", "run"],
  ["compare", "run", "run"],
  ["convert", "frames.xyz", "frames.traj"],
  ["hooks", "plan", "run"],
  ["hooks", "list", "hook.ts"],
  ["completions", "bash"],
  ["schema", "relax"],
  ["export", "pairs.onnx"],
  ["fine-tune", "pairs.onnx", "sp.xyz", "--epochs", "1", "--freeze", "f32*", "--quiet"],
  ["train", "pairs.onnx", "sp.xyz", "--epochs", "1", "--freeze", "f32*", "--quiet"],
  ["doctor"],
  ["bench", "a.xyz", "--time", "0.5", "--device", "wasm", "--threads", "1"],
  ["submit", "recipe.json", "in", "-o", "campaign", "--local"],
  ["work", "campaign"],
  ["status", "campaign"],
  ["results", "campaign"],
  ["demo", "--systems", "2", "--steps", "10", "--quiet"],
];

/** Runs that need more, the reason in the message, and the flag that it names. */
const REFUSED: readonly (readonly [args: readonly string[], why: string, flag: string])[] = [
  [
    ["relax", "a.xyz", "-o", "../out.xyz"],
    "Deno may not write to",
    "--allow-write=.,",
  ],
  [["md", "a.xyz", "-o", "../run"], "Deno may not write to", "--allow-write=.,"],
  [
    ["screen", "in", "-o", "../screened"],
    "Deno may not write to",
    "--allow-write=.,",
  ],
  [
    ["relax", "in/0.xyz", "--model", `https://127.0.0.2:40404/m.onnx#sha256=${"0".repeat(64)}`],
    'does not allow net access to "127.0.0.2:40404". A potential, a queue or the page is there',
    "--allow-net=127.0.0.2",
  ],
  [
    ["work", "--queue", "nats://127.0.0.2:40404", "--store", "store"],
    'does not allow net access to "127.0.0.2:40404". A potential, a queue or the page is there',
    "--allow-net=127.0.0.2",
  ],
  [
    ["serve", "--host", "0.0.0.0"],
    "Deno may not listen on 0.0.0.0",
    "--allow-net=0.0.0.0",
  ],
  [
    ["queue", "status", "--queue", "nats://127.0.0.2:40404"],
    'does not allow net access to "127.0.0.2:40404". A potential, a queue or the page is there',
    "--allow-net=127.0.0.2",
  ],
];

Deno.test("each command runs with the permissions of its task, or says which one is missing and why", async () => {
  const above = await Deno.makeTempDir(), folder = `${above}/work`;
  try {
    await Deno.mkdir(folder);
    await prepare(folder);
    const tried = new Set([...RUNS, ...REFUSED.map(([args]) => args)].map(([name]) => name!));
    for (const { name } of COMMANDS) assert(tried.has(name), `no run of hooke ${name}`);
    for (const args of RUNS) {
      const { code, text } = await hooke(folder, args);
      assertEquals([code, /does not allow|NotCapable|Requires \w+ access/.exec(text)?.[0]], [
        0,
        undefined,
      ], `hooke ${args.join(" ")}: ${text}`);
    }
    for (const [args, why, flag] of REFUSED) {
      const { code, text } = await hooke(folder, args);
      assert(code === 1 || code === 2, `hooke ${args.join(" ")}: ${code} ${text}`);
      assertStringIncludes(text, why, args.join(" "));
      assertStringIncludes(text, flag);
    }
    const names = (await Array.fromAsync(Deno.readDir(above))).map(({ name }) => name);
    assertEquals(names, ["work"], "nothing is written elsewhere");
  } finally {
    await Deno.remove(above, { recursive: true });
  }
});
