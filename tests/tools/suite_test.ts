import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { sourceFiles } from "../../tools/architecture/source_files.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { dividedFiles } from "../../tools/suite/divided.ts";
import { examplesOf } from "../../tools/suite/examples.ts";
import { childProcessorSeconds } from "../../tools/suite/processor_time.ts";
import {
  addCounts,
  leftOut,
  parseClosing,
  parseSeconds,
  showCounts,
} from "../../tools/suite/report.ts";
import { runExample } from "../../tools/suite/run_example.ts";
import { judgeEnd, runShare } from "../../tools/suite/run_share.ts";
import { type Share, sharesOf } from "../../tools/suite/shares.ts";
import { limitOf, timeOfWork } from "../../tools/suite/speed.ts";
import { withFolder } from "../checkpoint/folder.ts";

/** Returns the paths of the test files of all shares, sorted. */
function testsIn(shares: readonly Share[]): string[] {
  return shares.filter(({ isDocs }) => !isDocs).flatMap(({ paths }) => paths).sort();
}

Deno.test("every test file of the project is in one share of the fast suite or of the slow one", async () => {
  const files = await sourceFiles(ROOT);
  const tests = files.filter((file) => file.endsWith("_test.ts"));
  const divided = await dividedFiles(), isDivided = (file: string) => divided.has(file);
  assert(isDivided("tests/models/conformance_test.ts"));
  const [fast, slow, all] = (["fast", "slow", "all"] as const).map((suite) =>
    testsIn(sharesOf(files, suite, isDivided))
  );
  // Each suite runs its part of those that are divided.
  assertEquals([...fast!, ...slow!.filter((file) => !isDivided(file))].sort(), tests);
  assertEquals(slow!.filter(isDivided), [...divided].sort());
  assertEquals(all, tests);
  assertEquals(fast!.filter((file) => file.endsWith("_slow_test.ts")), []);
});

Deno.test("the examples of all pages are in one share, and those of all modules in another; slow tests have none", () => {
  const files = ["README.md", "docs/a.md", "mod.ts", "src/hook.ts", "src/b/c.ts", "src/b/d/e.ts"];
  assertEquals(
    sharesOf(files, "fast", () => false).map(({ paths, isDocs }) => [isDocs, ...paths]),
    [
      [true, "README.md", "docs/a.md"],
      [true, "mod.ts", "src/hook.ts", "src/b/c.ts", "src/b/d/e.ts"],
    ],
  );
  assertEquals(sharesOf(files, "slow", () => false), []);
});

Deno.test("examples are the TypeScript of pages and doc comments, with the output that a page shows", () => {
  const page =
    "# A\n```ts\nf();\n```\nso:\n```text\n1\n```\n```ts ignore\ng();\n```\n```ts\nh();\n```\n";
  assertEquals(examplesOf("a.md", page), [
    { line: 3, code: "f();\n", output: "1\n" },
    { line: 13, code: "h();\n" },
  ]);
  const module =
    "const a = 1;\n/**\n * One.\n *\n * ```ts\n * f();\n *\n * g();\n * ```\n */\nf();\n";
  assertEquals(examplesOf("a.ts", module), [{ line: 6, code: "f();\n\ng();\n" }]);
});

Deno.test("an example fails if it prints something else than its page, and if it throws", async () => {
  const example = () => Promise.resolve(console.log("a", 1, [2], "0.1234 ms"));
  await runExample(example, "a 1 [ 2 ] 0.5678 ms\n");
  await runExample(() => Promise.resolve(), undefined);
  await assertRejects(() => runExample(example, "a 1 [ 3 ] 0.5678 ms\n"), Error, "not equal");
  await assertRejects(() => runExample(example, ""), Error, "not equal");
  await assertRejects(() => runExample(() => Promise.reject(new Error("no")), undefined), Error);
});

Deno.test("the files of a share run in one process, and each failure is counted", async () => {
  await withFolder(async (folder) => {
    const texts = ['Deno.test("a", () => {});', 'Deno.test("b", () => { throw 1; });'];
    const paths = texts.map((text, i) => {
      Deno.writeTextFileSync(`${folder}/case_${i}_test.ts`, text);
      return `${folder}/case_${i}_test.ts`;
    });
    const share = { name: "two", paths, isDocs: false };
    const { isGood, counts } = await runShare(share, "fast", ["--no-config"]);
    assertEquals([isGood, counts?.passed, counts?.failed], [false, 1, 1]);
    const page = `${folder}/page.md`;
    await Deno.writeTextFile(page, "```ts\nconsole.log(1);\n```\n```text\n2\n```\n");
    const docs = await runShare({ name: "page", paths: [page], isDocs: true }, "fast", []);
    assertEquals([docs.isGood, docs.counts?.failed, [...docs.secondsOf.keys()]], [false, 1, [
      "page",
    ]]);
  });
});

Deno.test("what must run apart has a process of its own, and no process has many files", () => {
  const files = ["a_apart_test.ts", ...Array.from({ length: 50 }, (_, i) => `${i}_test.ts`)]
    .map((name) => `tests/room/${name}`);
  const shares = sharesOf(files, "fast", () => false).map(({ paths }) => paths);
  assertEquals(shares.map(({ length }) => length).sort(), [1, 16, 17, 17]);
  assertEquals(shares.find(({ length }) => length === 1), ["tests/room/a_apart_test.ts"]);
  const slow = ["tests/a_apart_slow_test.ts", "tests/b_slow_test.ts", "tests/c_slow_test.ts"];
  assertEquals(
    sharesOf(slow, "slow", () => false).map(({ paths }) => paths.length).sort(),
    [1, 2],
  );
});

Deno.test("closing lines are read, added up and written as deno test writes them", () => {
  const one = parseClosing(
    "a ... ok\nok | 1 passed | 0 failed (5ms)\nFAILED | 20 passed (3 steps) | 1 failed (1 step) | 4 ignored (2 steps) (1m2s)\n",
  )!;
  assertEquals(one, {
    passed: 20,
    passedSteps: 3,
    failed: 1,
    failedSteps: 1,
    ignored: 4,
    ignoredSteps: 2,
  });
  const other = parseClosing("ok | 1 passed | 0 failed (5ms)")!;
  assertEquals(
    showCounts(addCounts([one, other]), false, 62),
    "FAILED | 21 passed (3 steps) | 1 failed (1 step) | 4 ignored (2 steps) (1m2s)",
  );
  assertEquals(showCounts(other, true, 5), "ok | 1 passed | 0 failed (5s)");
  assertEquals(parseClosing("running 1 test from a_test.ts"), undefined);
});

Deno.test("the times of steps are part of their tests'", () => {
  const cases = [["t", 2], ["t &gt; a", 1.5], ["a &gt; b", 1]].map(([name, time]) =>
    `<testcase name="${name}" classname="./tests/where_it_is_called.ts" time="${time}"></testcase>`
  );
  const xml = `<testsuite name="./tests/x_test.ts" tests="3">${cases.join("\n")}</testsuite>`;
  assertEquals([...parseSeconds(xml)], [["tests/x_test.ts", 3]]);
});

Deno.test("what is left out is said once", () => {
  assertEquals(leftOut(["left out: b\nx", "left out: a\nleft out: b\n"]), ["a", "b"]);
});

Deno.test("a share fails by a failed test, and by a process that dies in mid-run", async () => {
  await withFolder(async (folder) => {
    const run = async (text: string) => {
      const path = `${folder}/case_test.ts`;
      await Deno.writeTextFile(path, text);
      const share = { name: "case", paths: [path], isDocs: false };
      const { isGood, counts } = await runShare(share, "fast", ["--no-config"]);
      return [isGood, counts?.passed, counts?.failed];
    };
    assertEquals(await run('Deno.test("a", () => {});'), [true, 1, 0]);
    assertEquals(await run('Deno.test("a", () => { throw 1; });'), [false, 0, 1]);
    assertEquals(
      await run('Deno.test("a", () => Deno.kill(Deno.pid, "SIGKILL"));'),
      [false, undefined, undefined],
    );
  });
});

Deno.test("a path that no file begins with is an error, and not a run of no tests", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/suite/run.ts", "fast", "--no-check", "README.md", "tests/nowhere"],
    cwd: ROOT,
  }).output();
  assertEquals(success, false);
  assertStringIncludes(new TextDecoder().decode(stderr), "No file begins with tests/nowhere");
});

Deno.test("what the tests of a share leave in the folder of temporary files is removed with it", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/case_test.ts`;
    await Deno.writeTextFile(
      path,
      'Deno.test("a", () => console.log(`left ${Deno.makeTempDirSync()}`));',
    );
    const share = { name: "case", paths: [path], isDocs: false };
    const { isGood, output, processorSeconds } = await runShare(share, "fast", ["--no-config"]);
    const [, left] = /left (\S+)/.exec(output)!;
    assertEquals(isGood, true);
    await assertRejects(() => Deno.stat(left!), Deno.errors.NotFound);
    if (Deno.build.os === "linux") assert(processorSeconds > 0);
  });
});

Deno.test("a signal after the closing line of tests that passed is said, and no failure", () => {
  const counts = parseClosing("ok | 1 passed | 0 failed (5ms)"), none = undefined;
  const failed = parseClosing("FAILED | 1 passed | 1 failed (5ms)");
  assertEquals(judgeEnd({ success: true, signal: null }, counts), { isGood: true });
  assertEquals(judgeEnd({ success: true, signal: null }, none), { isGood: false });
  assertEquals(judgeEnd({ success: false, signal: null }, counts), { isGood: false });
  assertEquals(judgeEnd({ success: false, signal: "SIGABRT" }, counts), {
    isGood: true,
    lateSignal: "SIGABRT",
  });
  assertEquals(judgeEnd({ success: false, signal: "SIGKILL" }, counts), { isGood: false });
  assertEquals(judgeEnd({ success: false, signal: "SIGABRT" }, failed), { isGood: false });
  assertEquals(judgeEnd({ success: false, signal: "SIGABRT" }, none), { isGood: false });
});

Deno.test("the processor time of processes that ended is counted", async () => {
  const before = childProcessorSeconds();
  if (before === undefined) return; // not on Linux
  const spin = "const end = performance.now() + 150; while (performance.now() < end);";
  await new Deno.Command(Deno.execPath(), { args: ["eval", spin] }).output();
  assertEquals(childProcessorSeconds()! > before, true);
});

Deno.test("slow processors may take longer for the fast suite, fast ones as long as others", () => {
  assertEquals([1, 10, 20, 40].map(limitOf), [450, 450, 680, 1360]);
  assert(timeOfWork() > 0.5);
});
