/** Follows the steps of README.md in a user's folder: its deno.json, its programs, its commands. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { commands, fences } from "../../tools/check/markdown.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { few, slow, slowTest, test } from "../suite.ts";
import { pagesOf } from "./tables.ts";

const README = await Deno.readTextFile(new URL("README.md", ROOT));
const HOWTO = await pagesOf("howto");
const GUIDE = await pagesOf("hooks");
const ATOMS = await pagesOf("atoms");
const MODELS = await Deno.readTextFile(new URL("docs/models.md", ROOT));
const TRAINING = await pagesOf("training");
const GPU = await Deno.readTextFile(new URL("docs/gpu.md", ROOT));

/** A program, and the block below it if that shows output. */
interface Program {
  readonly text: string;
  readonly output: string | undefined;
}

/** The blocks of a page in order, with their language. */
function blocksOf(page: string): { language: string; text: string }[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .map(([, language, text]) => ({ language: language!, text: text! }));
}

/** The programs of a page. */
function programsOf(page: string): Program[] {
  return blocksOf(page).flatMap(({ language, text }, i, blocks) => {
    if (language !== "ts") return [];
    const next = blocks[i + 1];
    return [{ text, output: next?.language === "text" ? next.text : undefined }];
  });
}

const PROGRAMS = programsOf(README);
const JOBS = programsOf(HOWTO);

/**
 * A folder as the README describes it. Every test has the same one, so that Deno finds in its cache what it made of
 * Hooke's modules by their paths: in a new folder it would transpile all of them again for each program.
 */
const FOLDER = await Deno.realPath(await Deno.makeTempDir());
await Deno.symlink(new URL(".", ROOT), `${FOLDER}/hooke`, { type: "dir" });
globalThis.addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));

/** The folder with a program in it; emptied when it goes out of scope. */
async function ownFolder(program: string): Promise<AsyncDisposable & { path: string }> {
  await Deno.writeTextFile(
    `${FOLDER}/deno.json`,
    blocksOf(README).find((b) => b.language === "json")!.text,
  );
  await Deno.writeTextFile(`${FOLDER}/my_loop.ts`, program);
  return { path: FOLDER, [Symbol.asyncDispose]: emptyFolder };
}

/** Removes what programs have left. */
async function emptyFolder(): Promise<void> {
  for await (const { name } of Deno.readDir(FOLDER)) {
    if (name !== "hooke") await Deno.remove(`${FOLDER}/${name}`, { recursive: true });
  }
}

/** One of the README's commands, by its first word after Deno's name, in a folder. */
function command(word: string, cwd: string): Deno.Command {
  const line = commands(README).find((line) => line.startsWith(`npx -y deno@2.9.6 ${word} `));
  assert(line !== undefined, `the README says how to ${word}`);
  const args = line.split(" ").slice(3);
  return new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    // Mesa says on every start that it misses the second.
    env: { NO_COLOR: "1", XDG_RUNTIME_DIR: Deno.env.get("XDG_RUNTIME_DIR") || cwd },
    stdout: "piped",
    stderr: "piped",
  });
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/**
 * Returns the errors of a program, without Deno's notice about a package's build script, which it prints once in
 * every new folder.
 */
function complaints(stderr: Uint8Array): string {
  return decode(stderr).replace(/^╭ Warning\n│\n│ {2}Ignored build scripts[\s\S]*?^╰─\n/m, "");
}

/** Output without what differs from run to run: milliseconds, and the widths of their columns. */
function steady(output: string): string {
  return output.replaceAll(/\d+\.\d{4}/g, "#").replaceAll(/ +/g, " ");
}

/** Runs programs in one folder and one process, which loads Hooke once, and compares all that they print. */
async function runTogether(programs: readonly Program[]): Promise<void> {
  await using folder = await ownFolder(
    programs.map((_, i) => `await import("./program_${i}.ts");\n`).join(""),
  );
  for (const [i, { text }] of programs.entries()) {
    await Deno.writeTextFile(`${folder.path}/program_${i}.ts`, text);
  }
  const { stdout, stderr } = await command("run", folder.path).output();
  assertEquals(complaints(stderr), "");
  const shown = programs.map(({ output }) => output ?? "").join("");
  assertEquals(steady(decode(stdout)), steady(shown));
}

Deno.test("the programs in the README run in a user's folder, and print the output below them", async () => {
  assert(PROGRAMS.length >= 4 && JOBS.length >= 10);
  const all = few(PROGRAMS, [...PROGRAMS, ...JOBS]); // the examples of the pages run all of them, in Hooke's own folder
  await runTogether(all.filter(({ output }) => output !== undefined));
});

Deno.test("the README's program for a run folder resumes in a user's folder", async () => {
  const { text } = PROGRAMS.find(({ text }) => text.includes("openRunFolder(path, {"))!;
  await using folder = await ownFolder(text);
  const runs = [
    ["50", /^step 0\/50 .*\nstep 50\/50 .*\n50 steps\n$/],
    ["80", /^step 50\/80 .*\nstep 80\/80 .*\n80 steps\n$/],
    ["60", /^80 steps\n$/], // fewer than the run has done
  ] as const;
  for (const [steps, printed] of runs.slice(0, few(2, 3))) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-read", "--allow-write", "my_loop.ts", "argon", steps],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals([code, complaints(stderr)], [0, ""]);
    assertMatch(decode(stdout), printed);
  }
});

slowTest(
  "the README's program for training runs again in the folder of a finished run",
  async () => {
    const { text } = PROGRAMS.find(({ text }) => text.includes("new Trainer("))!;
    const twice = ["first", "again"].map((name) => `await import("./xor.ts?${name}");\n`).join("");
    await using folder = await ownFolder(twice);
    await Deno.writeTextFile(`${folder.path}/xor.ts`, text);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-read", "--allow-write", "my_loop.ts", "xor"],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals([code, complaints(stderr)], [0, ""]);
    assertMatch(decode(stdout), /^0 .*\n50 .*\n100 .*\n150 .*\n$/);
  },
);

test("the README's program relaxes what is in a file, as its command says", async () => {
  await using folder = await ownFolder(PROGRAMS[0]!.text);
  const crystal = fcc({ element: "Ar", a: 5.26, cells: [2, 2, 1] });
  const frames = [rattle(crystal, 0.2, 1), rattle(crystal, 0.1, 2)];
  await Deno.writeTextFile(`${folder.path}/structures.xyz`, writeExtxyz(frames));
  const line = commands(README).find((line) => line.endsWith("structures.xyz relaxed.xyz"))!;
  const options = { args: line.split(" ").slice(3), cwd: folder.path };
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
  assertEquals([code, decode(stderr)], [0, ""]);
  assertEquals(decode(stdout).match(/^[01] relaxed -1\.24\d\d$/gm)?.length, 2);
  assertMatch(decode(stdout), /^\d+ steps$/m);
  const relaxed = parseExtxyz(await Deno.readTextFile(`${folder.path}/relaxed.xyz`));
  // Sixteen atoms of the perfect crystal.
  for (const { energy } of relaxed) assertAlmostEquals(energy!, 16 * -0.07761, 2e-3);
});

test("each program on atoms, models and training has its output below it, which the examples compare", () => {
  for (const page of [ATOMS, MODELS, TRAINING]) {
    const programs = programsOf(page);
    assertEquals(programs.filter(({ output }) => output === undefined), []);
    assert(programs.length > 0);
  }
  assert(programsOf(GUIDE).filter(({ output }) => output !== undefined).length >= 5);
});

slow(testOnGpu)("programs on GPUs print the same on WebGPU as where auto runs them", async () => {
  const shown = programsOf(GPU.replaceAll('"auto"', '"webgpu"')).filter(({ output }) =>
    output !== undefined
  );
  assert(shown.length >= 2);
  await runTogether(shown);
});

test("the README's deno.json needs one line for the package, and none for the packages below it", () => {
  const config = JSON.parse(blocksOf(README).find((b) => b.language === "json")!.text);
  assertEquals(config, { links: ["./hooke"], imports: { "@hooke/hooke": "jsr:@hooke/hooke" } });
});

slowTest(
  "the README's program for ONNX files relaxes the structures of a user's file with its command",
  async () => {
    const { text } = JOBS.find(({ text }) => text.includes("OnnxModel.open"))!;
    await using folder = await ownFolder(text);
    const data = new URL("tests/data/morse.onnx", ROOT);
    await Deno.copyFile(data, `${folder.path}/model.onnx`);
    await Deno.writeTextFile(`${folder.path}/model.json`, '{ "cutoff": 6 }');
    const dimer = new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 2.7, 0, 0] });
    await Deno.writeTextFile(`${folder.path}/structures.xyz`, writeExtxyz([dimer]));
    const line = commands(HOWTO).find((line) => line.includes("model.onnx"))!;
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: line.split(" ").slice(3),
      cwd: folder.path,
      env: { NO_COLOR: "1", XDG_RUNTIME_DIR: folder.path },
    }).output();
    assertEquals([code, complaints(stderr)], [0, ""]);
    assertStringIncludes(decode(stdout), "cutoff 6 Å, from the manifest model.json");
    assertStringIncludes(decode(stdout), "\n0 relaxed -0.35\n");
    const [relaxed] = parseExtxyz(await Deno.readTextFile(`${folder.path}/relaxed.xyz`));
    assertAlmostEquals(relaxed!.positions[3]! - relaxed!.positions[0]!, 2.9, 0.01);
  },
);

test("the entry point of hooks loads no package in a user's folder", async () => {
  assertStringIncludes(README, "`@hooke/hooke/hooks`");
  await using folder = await ownFolder(
    'import { hook, Loop } from "@hooke/hooke/hooks"; console.log(typeof hook, typeof Loop);',
  );
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-npm", "my_loop.ts"],
    cwd: folder.path,
  }).output();
  assertEquals([decode(stdout), decode(stderr)], ["function function\n", ""]);
});

slowTest(
  "deno check in a user's folder reports errors that deno run does not, with the messages that the guide quotes",
  async () => {
    const quoted = blocksOf(GUIDE).find(({ text }) => text.startsWith("Refused<"))!.text.trim();
    const { text } = programsOf(GUIDE).find(({ text }) => text.includes("@ts-expect-error"))!;
    const { text: good } = JOBS.find(({ text }) => text.includes("loop.context.items.push"))!;
    const cases = [
      [text, quoted],
      [
        text.replace("readonly frequency = 1;", "").replace("DynamicsStage.", "TrainingStage.")
          .replace("AFTER_STEP", "AFTER_LOSS"),
        "Property 'frequency' is missing",
      ],
      [
        'import { hook } from "@hooke/hooke"; export const x =\n' +
        'hook({ name: "x", on: { dynamics: { "*": (ctx) => void ctx.stepCount } } });',
        "Source has 2 element(s) but target allows only 1",
      ],
      [
        text.replace("DynamicsStage.", "TrainingStage.").replace("AFTER_STEP", "AFTER_LOSS")
          .replace("call()", "call(_ctx: { gradients: unknown })"),
        "Types of property 'call' are incompatible",
      ],
    ] as const;
    const bare = cases.map(([program]) =>
      program.replace(/.*@ts-expect-error.*\n/, "").replace(/import.*@std.*\n/, "")
        .replace(/assertThrows\(\(\) => \{([\s\S]*)\}, TypeError\);/, "$1")
    );
    const bad = `${good}\nloop.context.items = 3;\n`;
    await using folder = await ownFolder(bad);
    assert((await command("run", folder.path).output()).success);
    // One check for all, as each reads the types of all of Hooke.
    const files = [...bare, good, bad].map((program, i) => {
      Deno.writeTextFileSync(`${folder.path}/case_${i}.ts`, program);
      return `case_${i}.ts`;
    });
    const line = commands(README).find((line) => line.startsWith("npx -y deno@2.9.6 check "));
    assert(line !== undefined, "the README says how to check");
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", ...files],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    // Each error ends with the place of it.
    const errors = decode(stderr).split(/^TS\d+ \[ERROR\]/m);
    const said = (file: string | undefined) => errors.find((error) => error.includes(`/${file}:`));
    for (const [i, [, message]] of cases.entries()) {
      assertStringIncludes(said(files[i]) ?? "nothing", message);
      assertStringIncludes(GUIDE, message);
    }
    assertEquals(said(files.at(-2)), undefined);
    assertStringIncludes(
      said(files.at(-1)) ?? "nothing",
      "'number' is not assignable to type 'string[]'",
    );
  },
);

slowTest(
  "Ctrl-C closes the hooks of an engine with a signal, and not those of one without",
  async () => {
    const program = JOBS.find(({ text }) => text.includes("SIGINT"))!.text
      .replace("run(batch, 1000)", "run(batch, 1e8)");
    const cases = [
      [program, "opened\nclosed: stopped\n"],
      [program.replace(/^Deno\..*$/gm, ""), "opened\n"],
    ] as const;
    for (const [text, printed] of cases) {
      await using folder = await ownFolder(text);
      const child = command("run", folder.path).spawn();
      let output = "", isTold = false;
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
        output += part;
        if (!isTold && output.includes("opened")) child.kill("SIGINT");
        isTold ||= output.includes("opened");
      }
      await child.stderr.cancel();
      await child.status;
      assertEquals(output, printed);
    }
  },
);

slowTest(
  "Ctrl-C in an engine with a CheckpointHook writes a last checkpoint, which the same command goes on from",
  async () => {
    const page = await pagesOf("files");
    const program = programsOf(page).find(({ text }) => text.includes("SIGINT"))!;
    const lines = program.output === undefined
      ? blocksOf(page).find(({ text }) => text.startsWith("$ deno run"))!.text.split("\n")
      : program.output.split("\n");
    const [first, second] = lines.filter((line) => line.startsWith("$ deno "));
    assertEquals(first, second);
    await using folder = await ownFolder(program.text);
    const args = first!.split(" ").slice(2).map((word) => word === "md.ts" ? "my_loop.ts" : word);
    const run = (steps: string) =>
      new Deno.Command(Deno.execPath(), {
        args: [...args.slice(0, -1), steps],
        cwd: folder.path,
        env: { NO_COLOR: "1" },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
    const child = run("1000000000"); // it would take days
    let output = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (output === "") child.kill("SIGINT");
      output += part;
    }
    assertEquals([await child.stderr.text(), (await child.status).code], ["", 130]);
    const [, step] = /^begins at step 0\nstopped at step (\d+)\n$/.exec(output) ?? [];
    assert(step !== undefined, output);
    const more = String(Number(step) + 5), again = run(more);
    assertEquals(await again.stdout.text(), `begins at step ${step}\ncompleted at step ${more}\n`);
    assertEquals([await again.stderr.text(), (await again.status).code], ["", 0]);
  },
);

slowTest("the bundle for a page has the loop, and needs nothing of Deno's", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const bundle = `${folder}/hooke.js`;
    const line = commands(README).find((line) => line.includes(" bundle "))!;
    const args = line.split(" ").slice(3).map((word) => word === "hooke.js" ? bundle : word);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT })
      .output();
    assert(success, decode(stderr));
    const page = `
      const { Loop, stages } = await import(${JSON.stringify(`file://${bundle}`)});
      const Walk = stages()("walk", ["AFTER_STEP"]);
      const seen = [];
      const loop = new Loop({ kinds: Walk, step: (loop) => loop.fire(Walk.AFTER_STEP) });
      loop.hooks.add({ stage: Walk.AFTER_STEP, frequency: 1, call: (ctx) => seen.push(ctx.stepCount) });
      await loop.run(3);
      print(seen.join());`;
    // A page has neither of these two.
    const script =
      `const print = console.log; delete globalThis.process; delete globalThis.Deno;${page}`;
    await Deno.writeTextFile(`${folder}/page.js`, script);
    const run = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "page.js"],
      cwd: folder,
    })
      .output();
    assertEquals(decode(run.stdout), "0,1,2\n", decode(run.stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("no program in the README imports a module that a user's folder lacks", () => {
  assertEquals(fences(README).filter(({ lines }) => lines.join().includes("@std/")).length, 0);
});
