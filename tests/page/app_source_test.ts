// The page's source over HTTP, with answers that a test makes.
import { assertEquals, assertRejects } from "@std/assert";
import {
  type Connection,
  HttpSource,
  listRuns,
  statusOf,
} from "../../src/page/app/data/http_source.ts";
import { encodeFrame } from "../../src/page/frame_codec.ts";
import type { RunEvent, RunInfo } from "../../src/page/protocol.ts";
import { FRAME, INFO } from "./shown_run.ts";

const API = { base: "http://server/", token: "secret" };

function lines(...events: readonly RunEvent[]): Response {
  return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

/** A source whose requests get these answers in turn. */
function sourceOf(...answers: readonly (() => Response | Promise<Response>)[]) {
  const asked: Request[] = [], states: Connection["state"][] = [];
  const source = new HttpSource(API, INFO.id, {
    firstDelay: 1,
    onConnection: ({ state }) => states.push(state),
    fetch: (input, init) => {
      asked.push(new Request(input as string, init));
      const next = answers[asked.length - 1];
      if (next === undefined) return Promise.reject(new TypeError("no more answers"));
      return Promise.resolve(next());
    },
  });
  return { source, asked, states };
}

const info = (state: RunInfo["state"]): RunEvent => ({ type: "info", run: { ...INFO, state } });

Deno.test("a lost connection is opened again, and the run is read anew until it has ended", async () => {
  const { source, states, asked } = sourceOf(
    () => lines(info("running"), { type: "frames", count: 3 }),
    () => Promise.reject(new TypeError("connection refused")),
    () => new Response("oops", { status: 502 }),
    () => lines(info("running"), info("completed")),
  );
  const events = await Array.fromAsync(source.events(new AbortController().signal));
  assertEquals(events.map(({ type }) => type), ["info", "frames", "behind", "info", "info"]);
  assertEquals(states, ["connected", "lost", "lost", "lost", "connected", "closed"]);
  assertEquals(source.length, 3);
  assertEquals(asked[0]!.headers.get("authorization"), "Bearer secret");
  assertEquals(new URL(asked[0]!.url).pathname, "/api/runs/runs%2Fargon/events");
});

Deno.test("a page that was too slow reads the run again at once", async () => {
  const { source, states } = sourceOf(
    () => lines(info("running"), { type: "behind" }),
    () => lines(info("completed")),
  );
  const events = await Array.fromAsync(source.events(new AbortController().signal));
  assertEquals(events.map(({ type }) => type), ["info", "behind", "info"]);
  assertEquals(states, ["connected", "connected", "closed"]);
});

Deno.test("a server that refuses is not asked again, and its words are shown", async () => {
  const refused = () =>
    Response.json({ error: "Cannot answer without the token" }, { status: 401 });
  const { source, states, asked } = sourceOf(refused, refused);
  assertEquals(await Array.fromAsync(source.events(new AbortController().signal)), []);
  assertEquals([states, asked.length], [["refused"], 1]);
  const error = await assertRejects(
    () => listRuns(API, undefined, () => Promise.resolve(refused())),
    Error,
    "without the token",
  );
  assertEquals(statusOf(error), 401);
});

Deno.test("a silent connection counts as lost, and aborting ends everything", async () => {
  const abort = new AbortController(), states: Connection["state"][] = [];
  const source = new HttpSource(API, "a", {
    firstDelay: 1,
    silence: 1,
    onConnection({ state }) {
      states.push(state);
      if (states.length === 3) abort.abort();
    },
    fetch: (_, init) =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (controller) =>
              init!.signal!.addEventListener("abort", () => controller.error(init!.signal!.reason)),
          }),
        ),
      ),
  });
  assertEquals(await Array.fromAsync(source.events(abort.signal)), []);
  assertEquals(states.slice(0, 3), ["lost", "lost", "lost"]);
});

Deno.test("frames, commands and files are asked for by their addresses", async () => {
  const { source, asked } = sourceOf(
    () => lines({ type: "frames", count: 2 }, info("completed")),
    () => new Response(encodeFrame(FRAME)),
    () => new Response(null, { status: 204 }),
    () => new Response(encodeFrame(FRAME)),
    () => new Response(null, { status: 204 }),
    () => new Response("text"),
    () => Response.json({ error: "Cannot pause: it is over" }, { status: 409 }),
  );
  await Array.fromAsync(source.events(new AbortController().signal));
  assertEquals((await source.frame(1)).positions, FRAME.positions);
  assertEquals(await source.live(), undefined);
  assertEquals((await source.live(undefined, 2, ["forces", "a&b"]))!.positions, FRAME.positions);
  await source.command({ action: "hook", name: "a", enabled: false });
  assertEquals(await asked[4]!.json(), { action: "hook", name: "a", enabled: false });
  assertEquals(await (await source.file("logs/a b.txt")).text(), "text");
  assertEquals(
    asked.slice(1).map(({ method, url }) =>
      `${method} ${url.slice(url.indexOf("/api/") + "/api/runs/runs%2Fargon/".length)}`
    ),
    [
      "GET frames/1",
      "GET live",
      "GET live?system=2&fields=forces%2Ca%26b",
      "POST commands",
      "GET files/logs/a%20b.txt",
    ],
  );
  await assertRejects(() => source.command({ action: "pause" }), Error, "it is over");
  await assertRejects(() => source.frame(2), RangeError, "between 0 and 1");
});
