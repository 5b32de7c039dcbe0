import { assert, assertEquals } from "@std/assert";
import { CASES } from "./cases.ts";
import { type Contender, linesOf, openProgram, openServer, type Turn } from "./contender.ts";
import { type Paired, playRounds, summarize } from "./rounds.ts";
import { compare } from "./run.ts";
import { timeTurn } from "./serve_turns.ts";

function cost(cpu: number, wall = cpu): Turn {
  return { cpu, wall, told: {} };
}

function pair(cpu: number, baseline: number): Paired {
  return { turn: cost(cpu, 2 * cpu), baseline: cost(baseline) };
}

/** A contender that notes its name at each turn. */
function noting(name: string, turns: string[]): Contender {
  return {
    about: {},
    turn: () => (turns.push(name), Promise.resolve(cost(turns.length))),
    close: () => Promise.resolve(),
  };
}

Deno.test("playRounds() lets everyone take a turn in each round, the baseline after each", async () => {
  const turns: string[] = [];
  const [ours, peer, baseline] = ["ours", "peer", "c"].map((name) => noting(name, turns));
  const played = await playRounds({ ours: ours!, peer: peer! }, {
    baseline: baseline!,
    repeats: 2,
  });
  assertEquals(turns, ["ours", "c", "peer", "c", "ours", "c", "peer", "c"]);
  assertEquals(played.peer!.map(({ turn, baseline }) => [turn.cpu, baseline.cpu]), [[3, 4], [
    7,
    8,
  ]]);
});

Deno.test("summarize() keeps the least, the middle, and the middle ratio to the baseline right after", () => {
  const summary = summarize([pair(10, 5), pair(8, 2), pair(30, 10)]);
  assertEquals(summary.cpu_min, 8);
  assertEquals(summary.cpu_median, 10);
  assertEquals(summary.wall_min, 16);
  assertEquals(summary.ratio_cpu, 3); // of 2, 4, 3
  assertEquals(summary.baseline_cpu_min, 2);
  assertEquals(summarize([pair(10, 5), pair(8, 2)]).ratio_cpu, 3);
});

Deno.test("compare() divides ours by the peer's", () => {
  const ours = summarize([pair(6, 2)]), peer = summarize([pair(24, 4)]);
  assertEquals(compare(ours, peer), {
    ours_over_cpu: 0.25,
    ours_over_wall: 0.25,
    ours_over_paired: 0.5,
  });
});

Deno.test("linesOf() joins what chunks have cut, inside a character too", async () => {
  const bytes = new TextEncoder().encode("one\ntwö\nthree");
  const chunks = [bytes.slice(0, 2), bytes.slice(2, 7), bytes.slice(7)];
  assertEquals(await Array.fromAsync(linesOf(ReadableStream.from(chunks))), [
    "one",
    "twö",
    "three",
  ]);
});

Deno.test("a server's turn is divided by its events, and a program's is read from what it prints", async () => {
  const answer = `console.log('{"cpu_s":2e-6,"wall_s":4e-6,"events":10,"steps":7}')`;
  const code = `console.log('{"ready":true,"peer":"x"}');
    for await (const _ of Deno.stdin.readable) { ${answer}; }`;
  const server = await openServer({ program: Deno.execPath(), args: ["eval", code], env: {} });
  assertEquals(server.about, { peer: "x" });
  assertEquals(await server.turn(), { cpu: 200, wall: 400, told: { steps: 7 } });
  await server.close();

  const args = ["eval", `console.log('{"cpu_min":3}')`];
  const program = openProgram(
    { program: Deno.execPath(), args, env: {} },
    ({ cpu_min }) => cost(Number(cpu_min)),
  );
  assertEquals((await program.turn()).cpu, 3);
});

Deno.test("timeTurn() counts work, not waiting, as CPU time", async () => {
  const idle = await timeTurn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { events: 1 };
  });
  assert(idle.wall_s > 0.09 && idle.cpu_s < 0.05, JSON.stringify(idle));
  const busy = await timeTurn(() => {
    const end = performance.now() + 100;
    let events = 0;
    while (performance.now() < end) events++;
    return { events };
  });
  assert(busy.cpu_s > idle.cpu_s && busy.events > 0, JSON.stringify(busy));
});

Deno.test("every row of the table that has a peer has a case", () => {
  const rows = Object.values(CASES).flatMap((task) => task.rows);
  const dynamics = [1, 2, 16, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13].map((n) => `dynamics/${n}`);
  const training = ["1", "8-64", "8n-64", "8-1024", "8n-1024", "3", "6"].map((n) =>
    `training/${n}`
  );
  const sinks = [1, 2, 3].map((n) => `sinks/${n}`);
  const onnx = ["2", "2n", "3", "3n", "8", "8n", "9", "9n", "10n-sevennet", "10n-mace"];
  const others = ["engines/5", "engines/6", ...onnx.map((n) => `onnx/${n}`)];
  assertEquals([...new Set(rows)], [...dynamics, ...others, ...training, ...sinks]);
});
