// Reports: the facts and outcome of a run, in Markdown and in a single HTML file.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { report, type RunData, type RunRecord } from "../../src/config/runs/mod.ts";
import { reportPlots } from "../../src/config/report/report_plots.ts";
import { lastScalarsIn } from "../../src/config/runs/run_parts.ts";
import { ScalarHistory } from "../../src/observe/mod.ts";

const HOOK: RunRecord["hooks"][number] = {
  name: "log_*",
  enabled: true,
  stages: ["dynamics/AFTER_STEP"],
  frequency: 10,
  order: 0,
  band: "normal",
  overloads: {},
  isFallback: false,
  reads: [],
  writes: [],
  errors: 0,
};
const at = (segment: number, second: number, step: number) => ({
  id: "r1",
  segment,
  step,
  hooks: [HOOK, { ...HOOK, name: "<bad>", errors: 2 }],
  time: new Date(1000 * second).toISOString(),
});
const start = (segment: number, second: number, step: number): RunRecord => ({
  type: "start",
  ...at(segment, second, step),
  engine: "NVE",
  commit: "abc",
  configHash: "h",
  versions: { hooke: "9.9.9", deno: "2.0.0", platform: "there" },
  device: { device: "wasm", skipped: [{ device: "webgpu", reason: "it is slow" }] },
  runtime: "onnxruntime-web (WebAssembly), 1 thread",
});
const end = (segment: number, second: number, step: number, outcome: unknown): RunRecord =>
  ({ type: "end", ...at(segment, second, step), outcome, device: null }) as RunRecord;

function run(records: readonly RunRecord[], more: Partial<RunData> = {}): RunData {
  const history = new ScalarHistory();
  for (const step of [0, 1, 2]) {
    history.add({ step, scalars: { "loss/total": 1 / (step + 1), "a`<b>": step } });
  }
  return { name: "a & b", records, history, ...more };
}

const COMPLETED = { status: "completed" };

Deno.test("Markdown has the outcome, the facts, warnings, plots, parts, hooks, changes, timings and configuration", async () => {
  const change: RunRecord = { type: "change", ...at(1, 70, 15), change: "disable", hook: "log_*" };
  const profile = [
    {
      engine: "NVE",
      domain: "dynamics",
      from: "A",
      to: "B",
      count: 3,
      mean: 1,
      std: 0,
      min: 1,
      max: 1,
    },
    {
      engine: "NVE",
      domain: "dynamics",
      from: "B",
      to: "A",
      count: 1,
      mean: 9,
      std: 0,
      min: 9,
      max: 9,
    },
  ];
  const records = [start(0, 0, 0), start(1, 60, 10), change, end(1, 3725, 20, COMPLETED)];
  const text = await report(run(records, { config: { dt: "```" }, profile }), {
    format: "markdown",
  });
  const lines = text.split("\n");
  assertEquals(lines[0], "# a \\& b: completed");
  assertEquals(lines.filter((line) => line.startsWith("## ")), [
    "## Run",
    "## Warnings",
    "## Plots",
    "## Parts",
    "## Hooks",
    "## Hook changes",
    "## Timings",
    "## Configuration",
  ]);
  for (
    const line of [
      "| outcome | completed |",
      "| steps | 20 |",
      "| commit | abc |",
      "| device | wasm |",
      "| model computed by | onnxruntime-web (WebAssembly), 1 thread |",
      "| took | 1 h 1 min |", // a part that never ended counts up to its last record
      "- Hook \\<bad\\> has failed 2 times.",
      "- Device webgpu was skipped: it is slow",
      "- 1 part of the run never ended.",
      "| 1 | 1970-01-01T00:00:00.000Z | 0 s | 0 | 0 | never ended |",
      "| 2 | 1970-01-01T00:01:00.000Z | 1 h 1 min | 10 | 20 | completed |",
      "| log\\_\\* | dynamics/AFTER\\_STEP | 10 | on | 0 |",
      "| 15 | 1970-01-01T00:01:10.000Z | disable | log\\_\\* |",
      "| B → A | 1 | 9.0000 | 0.0000 | 9.0000 | 9.0000 | 75.0 % |",
      "````json",
    ]
  ) assert(lines.includes(line), line);
  const svg = atob(/!\[Loss\]\(data:image\/svg\+xml;base64,([^)]+)\)/.exec(text)![1]!);
  assertStringIncludes(svg, "loss/total");
});

Deno.test("HTML is one file with the plots in it, and names are escaped", async () => {
  const text = await report(run([start(0, 0, 0), end(0, 1, 3, COMPLETED)]));
  assertEquals(text.match(/<svg /g)?.length, 2);
  assert(!/\b(src|href)=/.test(text) && !text.includes("<script"), "it needs nothing else");
  assertStringIncludes(text, "<h1>a &amp; b <span");
  assertStringIncludes(text, "Hook &lt;bad&gt; has failed");
  assert(!text.includes("<bad>") && !text.includes("<b>"));
  const open = [
    ...text.matchAll(
      /<(dl|dt|dd|table|thead|tbody|tr|td|th|figure|section|main|div|ul|li|h2|span|svg|text)\b/g,
    ),
  ];
  for (const tag of new Set(open.map(([, tag]) => tag!))) {
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    assertEquals(count(new RegExp(`<${tag}\\b`, "g")), count(new RegExp(`</${tag}>`, "g")), tag);
  }
});

Deno.test("reports of runs that failed, were stopped or have not ended have that status", async () => {
  const error = { name: "DivergedError", message: "atoms | flew\naway" };
  const titled = async (records: RunRecord[]) =>
    (await report(run(records), { format: "markdown" })).split("\n")
      .filter((line) => /^# |outcome/.test(line)).slice(0, 2);
  assertEquals(await titled([start(0, 0, 0), end(0, 1, 2, { status: "failed", error })]), [
    "# a \\& b: failed",
    "| outcome | failed: DivergedError: atoms \\| flew away |",
  ]);
  assertEquals(
    await titled([start(0, 0, 0), end(0, 1, 2, { status: "stopped", reason: "enough", step: 1 })]),
    ["# a \\& b: stopped", "| outcome | stopped in step 1: enough |"],
  );
  assertEquals(await titled([start(0, 0, 0)]), [
    "# a \\& b: not ended",
    "| outcome | not ended: the run is still going on, or its process was killed |",
  ]);
});

Deno.test("warnings of the engine about a run are in its report", async () => {
  const warnings = ["System 0 is too hot at step 3 of NVE"];
  const text = await report(
    run([start(0, 0, 0), end(0, 1, 2, { status: "completed", warnings })]),
    { format: "markdown" },
  );
  assertEquals(text.split("\n").filter((line) => line.includes("too hot")), [`- ${warnings[0]}`]);
  assert(text.includes("## Warnings"));
});

Deno.test("for a part that was killed the report shows the last step and time of its scalars", async () => {
  const lastScalars = [{ step: 90, time: new Date(45_000).toISOString() }, undefined];
  const lines = async (records: RunRecord[]) =>
    (await report(run(records, { lastScalars }), { format: "markdown" })).split("\n");
  const killed = await lines([start(0, 0, 0)]);
  for (const line of ["| steps | 90 |", "| took | 45 s |"]) assert(killed.includes(line), line);
  const resumed = await lines([start(0, 0, 0), start(1, 60, 80), end(1, 70, 100, COMPLETED)]);
  for (
    const line of [
      "| steps | 100 |",
      "| took | 55 s |",
      "| 1 | 1970-01-01T00:00:00.000Z | 45 s | 0 | 90 | never ended |",
      "| 2 | 1970-01-01T00:01:00.000Z | 10 s | 80 | 100 | completed |",
    ]
  ) assert(resumed.includes(line), line);
});

Deno.test("scalars belong to the part that reported them, repeated steps to the later one", () => {
  const row = (step: number, time: number) => ({
    step,
    time,
    stage: "dynamics/AFTER_STEP",
    engine: "NVE",
    scalars: {},
  });
  const records = [start(0, 0, 0), start(1, 60, 80), start(2, 65, 80)];
  const rows = [row(0, 1), row(90, 45), row(80, 66), row(100, 70)];
  const at = (step: number, second: number) => ({ step, time: new Date(1e3 * second).toJSON() });
  assertEquals(lastScalarsIn(records, rows), [at(90, 45), undefined, at(100, 70)]);
});

Deno.test("related scalars share a plot; losses have a log scale if all are above 0", () => {
  const history = new ScalarHistory();
  const scalars = {
    "loss/total": 1,
    "val/loss": 2,
    "optimizer/0/group_0/lr": 0.1,
    "optimizer/1/group_0/lr": 1,
    "train/accuracy": 0.5,
    "val/accuracy": 0.4,
    "energy": -1,
    "energy/max": -0.5,
    fmax: 0,
    "converged_fraction": 0,
    "active_fraction": 1,
    "dynamics/steps_per_s": 3,
    "my.own": 4,
    "my own": 5,
    "training/epoch": 1,
  };
  for (const step of [0, 1]) history.add({ step, scalars });
  history.add({ step: 1, scalars: { alone: 1 } });
  const plots = reportPlots(history);
  assertEquals(plots.map(({ name, scale, scalars }) => [name, scale, scalars.join(" ")]), [
    ["loss", "log", "loss/total val/loss"],
    ["learning_rate", "linear", "optimizer/0/group_0/lr optimizer/1/group_0/lr"],
    ["energy", "linear", "energy energy/max"],
    ["fmax", "linear", "fmax"],
    ["accuracy", "linear", "train/accuracy val/accuracy"],
    ["my_own", "linear", "my.own"],
    ["my_own_2", "linear", "my own"],
    ["speed", "linear", "dynamics/steps_per_s"],
  ]);
  history.add({ step: 2, scalars: { "converged_fraction": 0.5, "active_fraction": 0.5 } });
  assert(reportPlots(history).some(({ name }) => name === "converged"));
});

Deno.test("another format, and a folder that is not a run folder, are refused", async () => {
  await assertRejects(
    () => report(run([]), { format: "pdf" as never }),
    TypeError,
    'got "pdf"',
  );
  await assertRejects(() => report("/no/such/run"), RangeError, "Cannot read run /no/such/run");
});
