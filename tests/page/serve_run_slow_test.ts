// The page of a program's run. A server is started for each case.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type BaseContext, Loop, stages } from "../../src/hooks/mod.ts";
import { serveRun } from "../../src/page/mod.ts";

const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
const walk = () =>
  new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) }, { name: "walk" });

Deno.test("serveRun shows a loop, and stops it when the page asks for that", async () => {
  const said: string[] = [], loop = walk();
  await using page = await serveRun(loop, { steps: 1e9, onCommand: (text) => said.push(text) });
  assertEquals([page.isOpen, page.warning], [false, undefined]);
  const { origin, searchParams } = new URL(page.url);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  const running = loop.run(1e9);
  const [info] = await (await fetch(`${origin}/api/runs`, { headers })).json();
  assertEquals([info.name, info.kind, info.steps], ["walk", "run", 1e9]);
  const body = '{"action":"stop"}';
  const answer = await fetch(`${origin}/api/runs/walk/commands`, { method: "POST", headers, body });
  assertEquals(answer.status, 204);
  const outcome = await running;
  assertEquals(outcome.status === "stopped" && outcome.reason, "stopped from the page");
  assertMatch(said.join(), /^Stopped from the page at step \d+$/);
  await page.close();
  await assertRejects(() => fetch(page.url));
});

Deno.test("serveRun refuses wrong options, and leaves no server behind", async () => {
  const wrong = [
    [{ prot: 1 }, TypeError, "prot"],
    [{ port: 65536 }, RangeError, "port must be"],
    [{ port: -1 }, RangeError, "port must be"],
    [{ host: "" }, TypeError, "host must be"],
    [{ folder: "/no/such" }, RangeError, "it is not a run folder"],
  ] as const;
  for (const [options, kind, message] of wrong) {
    await assertRejects(() => serveRun(walk(), options as object), kind, message);
  }
  const page = await serveRun(walk(), { host: "0.0.0.0" });
  assert(page.warning?.includes("other machines"));
  await page.close();
});
