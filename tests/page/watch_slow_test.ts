// Commands that serve the page: `hooke serve`, and runs with --watch.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Batch } from "../../src/batch/batch.ts";
import { fcc, rattle } from "../../src/batch/crystal.ts";
import { run as hooke } from "../../src/cli/mod.ts";
import { decodeFrame } from "../../src/page/frame_codec.ts";
import type { RunCommand, RunEvent, RunInfo } from "../../src/page/protocol.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { needPage } from "./built_page.ts";

const PATIENCE = 120_000;

const MAIN = import.meta.resolve("../../src/cli/main.ts");

interface Started extends AsyncDisposable {
  readonly code: Promise<number>;
  readonly end: AbortController;
  readonly lines: string[];
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

/** Starts a command, and waits for the address that it prints. */
async function start(args: readonly string[]): Promise<Started> {
  await needPage();
  const lines: string[] = [], end = new AbortController();
  const line = (text: string) => void lines.push(text);
  const code = hooke(args, { print: line, complain: line }, { signal: end.signal });
  const url = await until("an address is printed", () => /http:\S+/.exec(lines.join("\n"))?.[0]);
  const { origin, searchParams } = new URL(url);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  return {
    code,
    end,
    lines,
    fetch: (path, init = {}) => fetch(`${origin}${path}`, { headers, ...init }),
    async [Symbol.asyncDispose]() {
      end.abort("SIGINT"); // a run without an end would keep the test from failing
      await code;
    },
  };
}

async function until<T>(
  what: string,
  get: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const value = await get();
    if (value !== undefined && value !== false) return value;
    assert(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Collects the events of a run until `leave`. */
async function client({ fetch }: Started, id: string) {
  const all: RunEvent[] = [];
  const { body } = await fetch(`/api/runs/${id}/events`);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = `${rest}${value}`.split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line !== "") all.push(JSON.parse(line));
    }
  })().catch(() => {}); // the connection was cut
  return {
    all,
    async leave() {
      await reader.cancel().catch(() => {});
      await reading;
    },
  };
}

async function send({ fetch }: Started, id: string, command: RunCommand): Promise<number> {
  const init = { method: "POST", body: JSON.stringify(command) };
  const answer = await fetch(`/api/runs/${id}/commands`, init);
  await answer.body?.cancel();
  return answer.status;
}

async function write(path: string, cells: number, count = 1): Promise<void> {
  const sink = await openSink(path);
  const systems = Array.from(
    { length: count },
    (_, i) => rattle(fcc({ element: "Ar", a: 5.26, cells }), 0.02 * (i + 1), i),
  );
  await sink.write(Batch.from(systems));
  await sink.close();
}

Deno.test("hooke md --watch shows the run, toggles a hook, pauses, and stops with a checkpoint", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir()), out = `${base}/live`;
  try {
    await write(`${base}/argon.xyz`, 2);
    const args = ["md", `${base}/argon.xyz`, "--steps", "100000000", "--dt", "2", "-o", out];
    await using started = await start([
      ...args,
      "--temperature",
      "40",
      "--log-every",
      "50",
      "--watch",
    ]);
    const page = await client(started, "live");
    const of = <T extends RunEvent["type"]>(type: T) =>
      page.all.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
    await until("frames come", () => of("frames").some(({ live = 0 }) => live > 0) || undefined);
    const bytes = await (await started.fetch("/api/runs/live/live")).arrayBuffer();
    const { numbers, step } = decodeFrame(new Uint8Array(bytes));
    assertEquals([numbers.length, numbers[0]], [32, 18]);
    assert(step! > 0);
    await until(
      "the pressure comes from log.csv",
      () => of("scalars").some(({ names }) => names.includes("pressure_GPa")) || undefined,
    );
    const names = new Set(of("scalars").flatMap(({ names }) => names));
    for (const name of ["energy", "temperature", "energy/total", "dynamics/steps_per_s"]) {
      assert(names.has(name), name);
    }
    assertEquals(
      await send(started, "live", { action: "hook", name: "table", enabled: false }),
      204,
    );
    assertEquals(
      await send(started, "live", { action: "hook", name: "none", enabled: false }),
      409,
    );
    assertEquals(await send(started, "live", { action: "pause" }), 204);
    const info = async () => (await (await started.fetch("/api/runs")).json() as RunInfo[])[0]!;
    const paused = await info();
    assertEquals([paused.state, paused.isControllable, paused.kind], ["paused", true, "md"]);
    assertEquals((await info()).step, paused.step);
    assertEquals(await send(started, "live", { action: "resume" }), 204);
    assertEquals(await send(started, "live", { action: "stop" }), 204);
    await until(
      "the end is shown",
      () => of("info").at(-1)?.run.state === "interrupted" || undefined,
    );
    await until("the page is served on", () => started.lines.find((line) => /is over/.test(line)));
    const file = await started.fetch("/api/runs/live/files/config.json");
    assertEquals(JSON.parse(await file.text()).config.watch, undefined);
    await page.leave();
    assertEquals(await started.code, 130);
    const said = started.lines.join("\n");
    assertMatch(said, /Disabled hook table from the page at step \d+/);
    assertMatch(said, /Paused from the page/);
    assertMatch(said, /Interrupted at step \d+ of 100000000; a checkpoint is saved/);
    assert(!/Warning/.test(said), said);
    const log = (await Deno.readTextFile(`${out}/runs.jsonl`)).trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    const changes = log.map(({ type, change, hook }) => [type, change, hook]);
    assertEquals(changes, [
      ["start", undefined, undefined],
      ["change", "disable", "table"],
      ["end", undefined, undefined],
    ]);
    assertEquals(log.at(-1).outcome.hookErrors, undefined);
    // It goes on without the page, and does not miss its hooks.
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const { step: last } = log.at(-1);
    const resumed = ["resume", out, "--steps", String(last + 10), "--quiet"];
    assertEquals(await hooke(resumed, { print, complain: print }), 0);
    assertEquals(lines.filter((line) => /Warning/.test(line)), []);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("hooke relax and hooke screen --watch end with their run if no page is open", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await write(`${base}/many.xyz`, 1, 20);
    const relax = ["relax", `${base}/many.xyz`, "-o", `${base}/relaxed.xyz`];
    const [first, second] = [
      await start([...relax, "--watch"]),
      await start(["screen", `${base}/many.xyz`, "-o", `${base}/screen`, "--watch-port", "0"]),
    ];
    assertEquals([await first.code, await second.code], [0, 0]);
    for (const { lines } of [first, second]) {
      assert(!/Warning|is over/.test(lines.join("\n")), lines.join("\n"));
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("hooke serve shows runs while other processes write them, until Ctrl-C", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await write(`${base}/argon.xyz`, 1);
    await using started = await start(["serve", base]);
    assertMatch(started.lines.join("\n"), /no runs yet/);
    const list = async () => await (await started.fetch("/api/runs")).json() as RunInfo[];
    assertEquals(await list(), []);
    const md = new Deno.Command(Deno.execPath(), {
      args: `run -A --no-check ${MAIN} md argon.xyz --steps 100000000 --dt 2 -o runs/md --quiet \
--log-every 100 --traj-every 2000`.split(" "),
      cwd: base,
      stdout: "null",
      stderr: "null",
    }).spawn();
    const name = base.split("/").at(-1)!, id = encodeURIComponent(`${name}/runs/md`);
    const [info] = await until("the run is found", async () => {
      const runs = await list();
      return runs[0]?.state === "running" && runs[0].step > 0 ? runs : undefined;
    });
    assertEquals([info!.id, info!.isControllable], [`${name}/runs/md`, false]);
    const page = await client(started, id);
    const lastStep = () =>
      page.all.flatMap((event) => event.type === "scalars" ? event.rows : []).at(-1)?.[0] ?? 0;
    const first = await until("rows come", () => lastStep() || undefined);
    await until("more rows come", () => lastStep() > first || undefined);
    assertEquals(await send(started, id, { action: "stop" }), 409);
    md.kill("SIGINT");
    await md.status;
    await until("the end is shown", () => {
      const infos = page.all.flatMap((event) => event.type === "info" ? [event.run] : []);
      return infos.at(-1)?.state === "interrupted" || undefined;
    });
    const html = await started.fetch("/?token=wrong");
    assertEquals(html.status, 401);
    await html.body!.cancel();
    started.end.abort("SIGINT");
    assertEquals(await started.code, 0);
    await page.leave();
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("hooke serve says what is wrong with folders and ports", async () => {
  const lines: string[] = [], line = (text: string) => void lines.push(text);
  const said = async (...args: string[]) => {
    lines.length = 0;
    return [await hooke(args, { print: line, complain: line }), lines[0]];
  };
  assertEquals(await said("serve", "/no/such"), [
    2,
    "Cannot serve /no/such: there is no such folder",
  ]);
  assertEquals(await said("serve", "deno.json"), [
    2,
    "Cannot serve deno.json: it is a file. Pass a run folder, or a folder with run folders in it",
  ]);
  assertEquals(await said("serve", "--port", "70000"), [
    2,
    "Cannot use --port 70000: a port is at most 65535",
  ]);
});
