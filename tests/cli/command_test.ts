import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fileURLToPath } from "node:url";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { run } from "../../src/cli/mod.ts";
import { programName } from "../../src/cli/program.ts";
import { device as adapter } from "../backend/gpu.ts";
import { childProcessorSeconds } from "../../tools/suite/processor_time.ts";
import { few, slowTest, test } from "../suite.ts";

/** Runs a command in this process; answers with its exit code and what it wrote. */
async function hooke(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [], err: string[] = [];
  const terminal = {
    print: (line: string) => void out.push(line),
    complain: (line: string) => void err.push(line),
  };
  const code = await run(args, terminal);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

test("without a command, and with --help, it says what there is", async () => {
  for (const args of [[], ["--help"], ["-h"], ["help"]]) {
    const { code, out, err } = await hooke(...args);
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "Usage: hooke COMMAND [options]");
    assertMatch(out, /^ {2}demo {2,}\S/m);
  }
  const { out } = await hooke("demo", "--help");
  const options = ["--systems N", "--fmax F", "--steps N", "--seed N", "--out FOLDER"];
  options.push("--model NAME", "--device NAME");
  for (const option of [...options, "--trace FILE", "--quiet", "--help"]) {
    assertStringIncludes(out, option);
  }
});

test("--version is that of the package", async () => {
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assertEquals((await hooke("--version")).out, version);
});

test("what it does not understand ends in 2, with what it would have", async () => {
  const wrong: [string[], string][] = [
    [["dmo"], "did you mean demo?"],
    [
      ["demo", "--step", "4"],
      "Unknown option --step; did you mean --steps?",
    ],
    [["demo", "--step=4"], "did you mean --steps?"],
    [["demo", "extra"], "Cannot use extra: demo takes only options, which are --systems, --fmax"],
    [["demo", "--", "--steps", "3", "7"], "Cannot use 7: demo takes only options"],
    [["demo", "--steps", "-1"], "Cannot use --steps: it must be an integer of at least 0"],
    [["demo", "--steps", "-1"], "got -1"],
    [["demo", "-1"], "Unknown option -1"],
    [["help", "dmo"], "did you mean demo?"],
    [["demo", "--steps"], "Cannot use --steps: a value is required, as in --steps N"],
    [["demo", "--systems", "0"], "must be an integer of at least 1; got 0"],
    [["demo", "--seed", "two"], "got two"],
    [["demo", "--steps", "1.5"], "got 1.5"],
    [
      ["demo", "--fmax", "0"],
      "Cannot use --fmax: it must be a number above 0; got 0",
    ],
    [["demo", "--fmax", "-0.1"], "must be a number above 0; got -0.1"],
    [["demo", "--fmax", "small"], "got small"],
    [
      ["demo", "--model", "onyx"],
      "Cannot use --model: it must be one of onnx, kernel; got onyx; did you mean onnx?",
    ],
    [
      ["demo", "--device", "gpu"],
      "must be one of auto, webgpu, wasm, reference; got gpu",
    ],
    [["demo", "--quiet=3"], "Cannot use --quiet=3: --quiet takes no value"],
    [["demo", "--help=maybe"], "Cannot use --help=maybe: --help takes no value"],
    [["demo", "--help=false"], "Cannot use --help=false: --help takes no value"],
  ];
  for (const [args, message] of wrong) {
    const { code, out, err } = await hooke(...args);
    assertEquals([code, out], [2, ""], args.join(" "));
    assertStringIncludes(err, message);
  }
});

/** A folder that is gone when it goes out of scope. */
async function tempFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** The names of what is in a folder, in order. */
async function namesIn(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}

test("what stands behind a leading -- is taken as options, as `deno task demo -- --steps 0` hands it on", async () => {
  await using folder = await tempFolder();
  const rest = ["--steps", "0", "--systems", "2", "--out"];
  for (const [i, args] of [["demo", "--"], ["--", "demo"]].entries()) {
    const { code, out } = await hooke(...args, ...rest, `${folder.path}/${i}`);
    assertEquals(code, 0);
    assertStringIncludes(out, "2 of 2 have relaxed");
  }
});

test("help demo says the same as demo --help", async () => {
  const [help, option] = [await hooke("help", "demo"), await hooke("demo", "--help")];
  assertEquals(help, option);
});

test("help and hints name what the user can type", async () => {
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  assertEquals(programName("file:///tmp/x/src/cli/main.ts", "/home/me", true), "hooke");
  const program = programName("file:///home/me/hooke/src/cli/main.ts", "/home/me/hooke");
  assertEquals(program, "deno task hooke");
  const spaced = programName("file:///home/me/my%20work/src/cli/main.ts", "/home/me/my work");
  assertEquals(spaced, "deno task hooke");
  const npx = programName(
    "file:///home/me/src/cli/main.ts",
    "/home/me",
    false,
    "npx -y deno@2.9.6",
  );
  assertEquals(npx, "npx -y deno@2.9.6 task hooke");
  await run(["demo", "--stps"], { print: line, complain: line }, { program });
  assertEquals(
    lines.at(-1),
    "For help run: deno task hooke demo --help",
  );
  await run(["dmo"], { print: line, complain: line }, { program });
  assertEquals(
    lines.at(-1),
    "For help run: deno task hooke --help",
  );
  assertEquals(
    [
      programName("https://jsr.io/@hooke/hooke/0.1.0/src/cli/main.ts", "/home/me"),
      programName("http://127.0.0.1:8080/@hooke/hooke/0.1.0/src/cli/main.ts", "/home/me"),
      programName("file:///opt/hooke/src/cli/main.ts", "/home/me"),
    ],
    [
      "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli",
      "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli",
      "deno run --allow-read --allow-write=. file:///opt/hooke/src/cli/main.ts",
    ],
  );
});

/** The rows of a CSV file, by column. */
async function csv(path: string): Promise<Record<string, string>[]> {
  const [header, ...rows] = (await Deno.readTextFile(path)).trimEnd().split("\n");
  const names = header!.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((cell, i) => [names[i]!, cell])));
}

/** Returns stderr without the progress lines, which a busy machine may print. */
function complaintsIn(err: string): string {
  return err.replaceAll(/^step \d+ .* steps\/s\n/gm, "");
}

Deno.test("the demo relaxes 64 crystals to the energy of the perfect one, and keeps them at 40 K", async () => {
  await using folder = await tempFolder();
  const before = childProcessorSeconds();
  const systems = few(16, 64);
  const { code, out, err } = await hooke(
    "demo",
    "--out",
    folder.path,
    ...few(["--systems", `${systems}`], []),
  );
  if (before !== undefined) {
    const seconds = childProcessorSeconds()! - before; // whatever else the machine does
    assert(seconds < 10, `it took ${seconds} s of processor time`);
  }
  assertEquals([code, complaintsIn(err)], [0, ""]);

  const [, least, most, mean] =
    /(?:16 of 16|64 of 64) have relaxed, after (\d+) to (\d+) steps, (\d+\.\d) on average/.exec(
      out,
    )!;
  assert(Number(least) < Number(mean) && Number(mean) < Number(most));
  const histogram = [...out.matchAll(/^ {4} *\d+(?:–\d+)? {2}[█▏▎▍▌▋▊▉]* ?(\d+)$/gm)];
  assertEquals(histogram.reduce((sum, [, count]) => sum + Number(count), 0), systems);
  const energy = (name: string) =>
    Number(new RegExp(`${name} +(-0\\.\\d{5}) .*eV$`, "m").exec(out)![1]);
  assertAlmostEquals(energy("after"), -0.07761, 4e-5);
  assertEquals(energy("perfect"), -0.07761); // ASE: -0.0776096534
  assert(energy("before") > -0.075, out);

  const [, kelvin, spread] = /second half +(\d+\.\d) ± (\d+\.\d) K$/m.exec(out)!;
  assertAlmostEquals(Number(kelvin), 40, 1);
  assertAlmostEquals(Number(spread), 40 * Math.sqrt(2 / 96), 0.5);
  assertMatch(out, /^ {2}[▁▂▃▄▅▆▇█]{50} {2}mean temperature, \d+ to \d+ K$/m);
  assertMatch(out, /: \d+ ns for each atom and step, \d+\.\d million of these a second$/m);
});

Deno.test("--model and --device say what pulls, and where: each relaxes to the same", async () => {
  await using folder = await tempFolder();
  const energies: string[] = [];
  const all = [
    ["onnx", "auto"],
    ["onnx", "reference"],
    ["kernel", "wasm"],
    ["kernel", "reference"],
    ...adapter === undefined ? [] : [["onnx", "webgpu"], ["kernel", "webgpu"]],
  ];
  const some = all.filter(([model, device]) => (model === "onnx") !== (device === "reference"));
  for (const [model, device] of few(some, all)) {
    const to = `${folder.path}/${model}-${device}`;
    const args = ["--systems", "2", "--steps", "10", "--model", model!, "--device", device!];
    const { code, out } = await hooke("demo", "--out", to, ...args);
    assertEquals(code, 0);
    const source = model === "onnx" ? "an ONNX graph in onnxruntime" : "a kernel";
    assertStringIncludes(out, `The forces come from ${source}.`);
    const [, taken] = /^ {2}runs on (\w+)/m.exec(out)!;
    if (device !== "auto") assertEquals(taken, device);
    else if (taken !== "webgpu") assertMatch(out, /^ {2}not on webgpu: ./m); // on a real one it is
    energies.push(/^.* after {4}.*$/m.exec(out)![0]);
  }
  assertEquals(new Set(energies).size, 1, energies.join());
});

test("without WebGPU --device webgpu says what it would need", async () => {
  await using folder = await tempFolder();
  Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true });
  try {
    const to = ["--out", `${folder.path}/none`];
    const said = await hooke("demo", "--model", "kernel", "--device", "webgpu", ...to);
    assertEquals(said.code, 1);
    assertEquals(
      said.err,
      "Cannot open a WebGPU device: this runtime has no WebGPU (navigator.gpu is undefined)",
    );
  } finally {
    delete (navigator as { gpu?: unknown }).gpu;
  }
});

test("one crystal is one, and has one number of steps", async () => {
  await using folder = await tempFolder();
  const said = await hooke("demo", "--systems", "1", "--steps", "0", "--out", `${folder.path}/one`);
  assertStringIncludes(said.out, "Relaxation: 1 crystal of 32 argon atoms");
  assertMatch(said.out, /^ {2}1 of 1 have relaxed, after \d+ steps$/m);
});

test("the demo leaves a log of either part, and each crystal as it had relaxed", async () => {
  await using folder = await tempFolder();
  const out = `${folder.path}/new/folder`;
  const args = ["--systems", "3", "--steps", "40", "--fmax", "0.01", "--out", out];
  const said = await hooke("demo", ...args);
  assertEquals(said.code, 0);
  assertEquals(await namesIn(out), ["nvt.csv", "relax.csv", "relaxed.xyz"]);
  const crystals = parseExtxyz(await Deno.readTextFile(`${out}/relaxed.xyz`));
  assertEquals(crystals.map(({ nodeCount }) => nodeCount), [32, 32, 32]);
  for (const crystal of crystals) {
    assertAlmostEquals(crystal.energy! / 32, -0.07761, 1e-4);
    const forces = crystal.get("forces");
    for (let i = 0; i < 96; i += 3) {
      assert(Math.hypot(forces[i]!, forces[i + 1]!, forces[i + 2]!) <= 0.01);
    }
  }
  const relax = await csv(`${out}/relax.csv`), nvt = await csv(`${out}/nvt.csv`);
  assertEquals(relax.slice(0, 4).map(({ step }) => step), ["0", "0", "0", "5"]);
  const first = relax.filter(({ systemId }) => systemId === "0").map(({ fmax }) => Number(fmax));
  assert(first[0]! > 0.05 && first.at(-1)! < 0.05, String(first));
  assertEquals(nvt.map(({ step }) => step).filter((_, i) => i % 3 === 0), ["0", "10", "20", "30"]);
  assertEquals(nvt.slice(0, 4).map(({ time }) => time), ["4", "4", "4", "44"]);
  const late = nvt.slice(6).reduce((sum, { temperature }) => sum + Number(temperature), 0) / 6;
  assertStringIncludes(said.out, `second half  ${late.toFixed(1)} ± `);
});

test("equal seeds give equal logs, another seed others", async () => {
  await using folder = await tempFolder();
  const log = async (name: string, seed: string) => {
    const out = `${folder.path}/${name}`;
    await hooke("demo", "--systems", "2", "--steps", "20", "--seed", seed, "--out", out);
    const logs = ["relax.csv", "nvt.csv"].map((file) => Deno.readTextFile(`${out}/${file}`));
    return await Promise.all(logs);
  };
  const one = await log("a", "5"), other = await log("c", "6");
  assertEquals(await log("b", "5"), one);
  assertEquals(other.map((text, i) => text === one[i]), [false, false]);
});

test("the demo overwrites nothing: a folder with such files is refused, and without --out it makes another", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/nvt.csv`, "mine");
  await Deno.writeTextFile(`${path}/file`, "mine");
  const wrong: [string, string][] = [
    [path, `it contains ${path}/nvt.csv, which is not overwritten. Pass another folder`],
    [`${path}/file`, "it is a file"],
  ];
  for (const [to, message] of wrong) {
    const { code, out, err } = await hooke("demo", "--out", to);
    assertEquals([code, out], [2, ""]);
    assertStringIncludes(err, `Cannot write to ${to}: ${message}`);
  }
  assertEquals(await Deno.readTextFile(`${path}/nvt.csv`), "mine");
  assertEquals(await namesIn(path), ["file", "nvt.csv"]);

  const home = Deno.cwd();
  Deno.chdir(path);
  try {
    for (const name of ["hooke-demo", "hooke-demo-2"]) {
      const { code, out } = await hooke("demo", "--systems", "1", "--steps", "0");
      assertEquals(code, 0);
      assertStringIncludes(out, `In the folder ${name}:`);
    }
  } finally {
    Deno.chdir(home);
  }
  assertEquals(await namesIn(path), ["file", "hooke-demo", "hooke-demo-2", "nvt.csv"]);
  assertEquals(await namesIn(`${path}/hooke-demo`), ["relax.csv", "relaxed.xyz"]);
});

test("--quiet leaves out progress and pictures, and what to do next names what exists", async () => {
  await using folder = await tempFolder();
  const args = ["--systems", "2", "--steps", "20", "--out"];
  const quiet = (await hooke("demo", "--quiet", ...args, `${folder.path}/quiet`)).out;
  const loud = (await hooke("demo", ...args, `${folder.path}/loud`)).out;
  const pictures = /[█▁]/;
  assertEquals([pictures.test(quiet), pictures.test(loud)], [false, true]);
  assertEquals([quiet.includes("\nNext: "), quiet.includes("2 of 2 have relaxed")], [
    false,
    true,
  ]);
  const next = loud.slice(loud.indexOf("\nNext: "));
  const root = new URL("../../", import.meta.url);
  for (const [file] of next.matchAll(/(?:src|docs)\/\S+\.(?:ts|md)/g)) {
    assert((await Deno.stat(new URL(file, root))).isFile, file);
  }
  const readme = await Deno.readTextFile(new URL("README.md", root));
  assertStringIncludes(readme, `\n## ${/"(.+)"/.exec(next)![1]}\n`);
});

test("a progress line is painted on a terminal only", async () => {
  await using folder = await tempFolder();
  let painted = "";
  const demo = async (name: string, isTerminal: boolean, ...more: string[]) => {
    painted = "";
    const progress = { write: (text: string) => void (painted += text), isTerminal, columns: 60 };
    const args = ["--systems", "2", "--steps", "20", "--out", folder.path + name, ...more];
    const terminal = { print: () => {}, complain: () => {}, progress };
    assertEquals(await run(["demo", ...args], terminal), 0);
    return painted;
  };
  const lines = (await demo("/loud", true)).split(/[\r\n]/);
  assertMatch(lines.find((line) => line.includes("2/2"))!, /^step \d+ {2}2\/2 converged/);
  assertMatch(lines.findLast((line) => line !== "")!, /^step 20\/20 \(100 %\)/);
  for (const line of lines) assert(line.replace("\x1b[K", "").length < 60, line);
  assertEquals(await demo("/quiet", true, "--quiet"), "");
  assertEquals(await demo("/pipe", false), "");
});

slowTest("the demo writes a trace, and says where the time went", async () => {
  await using folder = await tempFolder();
  const trace = `${folder.path}/trace.json`;
  const args = ["--systems", "1", "--steps", "30", "--trace", trace, "--out", folder.path];
  const { code, out } = await hooke("demo", ...args);
  assertEquals(code, 0);
  assertMatch(out, /dynamics\/BEFORE_COMPUTE→dynamics\/AFTER_COMPUTE\s+\d+/);
  assertStringIncludes(out, `The trace is in ${trace}`);
  const { traceEvents } = JSON.parse(await Deno.readTextFile(trace));
  assert(traceEvents.length > 250, `${traceEvents.length} events`);
});

test("a trace that cannot be written is refused before anything runs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const wrong: [string, string][] = [
      [`${folder}/none/t.json`, `the folder ${folder}/none/ does not exist`],
      [folder, "it is a folder"],
      [`${folder}/`, "it is a folder"],
    ];
    for (const [path, message] of wrong) {
      const { code, out, err } = await hooke("demo", "--trace", path);
      assertEquals([code, out], [2, ""]);
      assertStringIncludes(err, `Cannot write the trace to ${path}: ${message}`);
    }
  } finally {
    await Deno.remove(folder);
  }
});

test("a failing command ends in 1 with the error", async () => {
  await using folder = await tempFolder();
  const errors: string[] = [];
  const print = () => {
    throw new Error("the disk is full");
  };
  const terminal = { print, complain: (line: string) => void errors.push(line) };
  assertEquals(await run(["demo", "--out", folder.path], terminal), 1);
  assertStringIncludes(errors.join("\n"), "the disk is full");
});

/** Starts the demo in a folder, in a process of its own. */
function start(cwd: string, ...args: string[]): Deno.ChildProcess {
  const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "demo", "--out", "out", ...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

test("a reader who leaves, as head does, stops the demo quietly and closes its hooks", async () => {
  await using folder = await tempFolder();
  const child = start(
    folder.path,
    "--systems",
    "4",
    "--steps",
    "9000000",
    "--trace",
    "trace.json",
  );
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const err = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, complaintsIn(err)], [0, ""]);
  assert((await Deno.stat(`${folder.path}/trace.json`)).isFile, "the profiler was closed");
});

/** Sends Ctrl-C once the demo has said something. Answers with all it said, and its exit code. */
async function interrupted(child: Deno.ChildProcess, when: string): Promise<[number, string]> {
  let text = "", isTold = false; // once: a second Ctrl-C would end it at once
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (!isTold && text.includes(when)) child.kill("SIGINT");
    isTold ||= text.includes(when);
  }
  await child.stderr.cancel();
  return [(await child.status).code, text];
}

slowTest(
  "Ctrl-C in the dynamics finishes the step, says what there is, and ends in 130",
  async () => {
    await using folder = await tempFolder();
    const child = start(folder.path, "--steps", "100000000", "--systems", "2");
    const [code, text] = await interrupted(child, "Dynamics:");
    assertEquals(code, 130);
    assertMatch(text, /Interrupted after \d+ of 100000000 steps\./);
    assertMatch(text, /In the folder out:\n {2}relax\.csv .*\n {2}relaxed\.xyz .*\n {2}nvt\.csv/);
    assert(
      (await Deno.readTextFile(`${folder.path}/out/nvt.csv`)).endsWith("\n"),
      "rows are whole",
    );
  },
);

slowTest(
  "Ctrl-C in the relaxation says how many have relaxed, and leaves the dynamics out",
  async () => {
    await using folder = await tempFolder();
    const child = start(folder.path, "--systems", "2000", "--fmax", "1e-5");
    const [code, text] = await interrupted(child, "Relaxation:");
    assertEquals(code, 130);
    assertMatch(text, /Interrupted after \d+ steps\.\n {2}\d+ of 2000 have relaxed/);
    assertEquals([text.includes("Dynamics:"), text.includes("nvt.csv")], [false, false]);
  },
);
