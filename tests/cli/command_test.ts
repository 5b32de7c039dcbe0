import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { run } from "../../src/cli/mod.ts";
import { programName } from "../../src/cli/program.ts";

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

Deno.test("without a command, and with --help, it says what there is", async () => {
  for (const args of [[], ["--help"], ["-h"], ["help"]]) {
    const { code, out, err } = await hooke(...args);
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "Usage: hooke COMMAND [options]");
    assertMatch(out, /^ {2}demo {2}\S/m);
  }
  const { out } = await hooke("demo", "--help");
  for (const option of ["--steps N", "--turns N", "--trace FILE", "--help"]) {
    assertStringIncludes(out, option);
  }
});

Deno.test("--version is that of the package", async () => {
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assertEquals((await hooke("--version")).out, version);
});

Deno.test("what it does not understand ends in 2, with what it would have", async () => {
  const wrong: [string[], string][] = [
    [["dmo"], "did you mean demo?"],
    [
      ["demo", "--step", "4"],
      "Cannot use --step as demo has no such option; did you mean --steps?",
    ],
    [["demo", "--step=4"], "did you mean --steps?"],
    [["demo", "extra"], "Cannot use extra as demo takes options only: they are --steps, --turns"],
    [["demo", "--", "--turns", "3", "7"], "Cannot use 7 as demo takes options only"],
    [["demo", "--turns", "-1"], "Cannot use --turns as it must be a whole number from 1 on"],
    [["demo", "--turns", "-1"], "current value is -1"],
    [["demo", "-1"], "Cannot use -1 as demo has no such option"],
    [["help", "dmo"], "did you mean demo?"],
    [["demo", "--steps"], "Cannot use --steps as it must have a value: --steps N"],
    [["demo", "--steps", "0"], "must be a whole number from 1 on: current value is 0"],
    [["demo", "--turns", "two"], "current value is two"],
    [["demo", "--turns", "1.5"], "current value is 1.5"],
    [["demo", "--help=maybe"], "Cannot use --help=maybe as --help takes no value"],
    [["demo", "--help=false"], "Cannot use --help=false as --help takes no value"],
  ];
  for (const [args, message] of wrong) {
    const { code, out, err } = await hooke(...args);
    assertEquals([code, out], [2, ""], args.join(" "));
    assertStringIncludes(err, message);
  }
});

Deno.test("what stands behind a leading -- is taken as options, as `deno task demo -- --turns 3` hands it on", async () => {
  for (const args of [["demo", "--", "--turns", "3"], ["--", "demo", "--turns", "3"]]) {
    const { code, out } = await hooke(...args);
    assertEquals(code, 0);
    assertStringIncludes(out, "stopped: 3 turning points.");
  }
});

Deno.test("help demo says the same as demo --help", async () => {
  const [help, option] = [await hooke("help", "demo"), await hooke("demo", "--help")];
  assertEquals(help, option);
});

Deno.test("help and hints name what the user can type", async () => {
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const program = programName("file:///home/me/hooke/src/cli/main.ts", "/home/me/hooke");
  assertEquals(program, "deno run -A src/cli/main.ts");
  await run(["demo", "--stps"], { print: line, complain: line }, { program });
  assertEquals(lines.at(-1), "deno run -A src/cli/main.ts demo --help tells what there is.");
  await run(["dmo"], { print: line, complain: line }, { program });
  assertEquals(lines.at(-1), "deno run -A src/cli/main.ts --help tells what there is.");
  assertEquals(
    [
      programName("https://jsr.io/@hooke/hooke/0.1.0/src/cli/main.ts", "/home/me"),
      programName("file:///opt/hooke/src/cli/main.ts", "/home/me"),
    ],
    ["deno run -A jsr:@hooke/hooke/cli", "deno run -A file:///opt/hooke/src/cli/main.ts"],
  );
});

Deno.test("the demo shows the plan, a row every hundred steps, the period, and a profile", async () => {
  const { code, out, err } = await hooke("demo");
  assertEquals([code, err], [0, ""]);
  assertMatch(
    out,
    /^spring\/ON_TURN\s+profiler\s+every event\s+otherwise\n\s+turns\s+every event\s+spring\.ON_TURN$/m,
  );
  const [titles, firstRow] = /^stage .*\n.*$/m.exec(out)![0].split("\n");
  for (const [title, cell] of [["hook", "profiler"], ["when", "every"], ["handler", "otherwise"]]) {
    assertEquals(
      titles!.indexOf(title!),
      firstRow!.indexOf(cell!),
      `${title} stands above ${cell}`,
    );
  }
  assertEquals(out.match(/●/g)?.length, 16);
  assertStringIncludes(out, "Its period is 6.2832; 2π is 6.2832.");
  assertMatch(out, /strayed by 1\.\de-5 at most/); // dt²/8 for velocity Verlet
  assertStringIncludes(out, "1571 steps, stopped: 5 turning points."); // 5π at steps of 0.01
  assertMatch(out, /spring\/BEFORE_STEP→spring\/AFTER_STEP\s+1571/);
  const root = new URL("../../", import.meta.url);
  const next = out.slice(out.indexOf("\nNext: "));
  assert((await Deno.stat(new URL(/src\/\S+\.ts/.exec(next)![0], root))).isFile);
  const readme = await Deno.readTextFile(new URL("README.md", root));
  assertStringIncludes(readme, `\n## ${/"(.+)"/.exec(next)![1]}\n`);
});

Deno.test("the demo takes its options, and writes a trace", async () => {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const { code, out } = await hooke("demo", "--steps", "150", "--trace", path);
    assertEquals(code, 0);
    assertStringIncludes(out, "150 steps, completed");
    const { traceEvents } = JSON.parse(await Deno.readTextFile(path));
    assert(traceEvents.length > 250, `${traceEvents.length} events`);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("a trace that cannot be written is refused before anything runs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const wrong: [string, string][] = [
      [`${folder}/none/t.json`, `as its folder must exist: there is no folder ${folder}/none/`],
      [folder, "as it must be a file: it is a folder"],
      [`${folder}/`, "as it must be a file: it is a folder"],
    ];
    for (const [path, message] of wrong) {
      const { code, out, err } = await hooke("demo", "--trace", path);
      assertEquals([code, out], [2, ""]);
      assertStringIncludes(err, `Cannot write the trace to ${path} ${message}`);
    }
  } finally {
    await Deno.remove(folder);
  }
});

Deno.test("a failing command ends in 1 with the error", async () => {
  const errors: string[] = [];
  const print = () => {
    throw new Error("the disk is full");
  };
  const terminal = { print, complain: (line: string) => void errors.push(line) };
  assertEquals(await run(["demo"], terminal), 1);
  assertStringIncludes(errors.join("\n"), "the disk is full");
});

Deno.test("a reader who leaves, as head does, stops the demo quietly and closes its hooks", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const trace = `${folder}/trace.json`;
    const main = new URL("../../src/cli/main.ts", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        main,
        "demo",
        "--steps",
        "9000000",
        "--turns",
        "9000000",
        "--trace",
        trace,
      ],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    const complaints = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, complaints], [0, ""]);
    assert((await Deno.stat(trace)).isFile, "the profiler was closed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Ctrl-C stops the demo after the step under way, closes its hooks, and ends in 130", async () => {
  const main = new URL("../../src/cli/main.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "demo", "--steps", "100000000", "--turns", "100000000"],
    stdout: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  let text = "", isTold = false; // once: a second Ctrl-C would end it at once
  for await (const part of lines) {
    text += part;
    if (!isTold && text.includes("●")) child.kill("SIGINT");
    isTold ||= text.includes("●");
  }
  assertEquals((await child.status).code, 130);
  assertStringIncludes(text, "stopped: interrupted.\nWhere the time went");
});
