import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { decodeFrame } from "../../src/page/frame_codec.ts";
import { isOwnHost, isToken, newToken } from "../../src/page/server/access.ts";
import { pageHandler } from "../../src/page/server/page_handler.ts";
import { client, FRAME, INFO, of, shelfOf, ShownRun, TOKEN } from "./shown_run.ts";

const RUN = `/api/runs/${encodeURIComponent(INFO.id)}`;

Deno.test("the page needs the token of its address, and its scripts need none", async () => {
  const ask = client(new ShownRun());
  assertEquals((await ask(`/?token=${TOKEN}`)).status, 200);
  for (const path of ["/", "/?token=", "/?token=wrong", `/?token=${TOKEN}x`, "/?Token=1"]) {
    const page = await ask(path, { headers: { authorization: "" } });
    assertEquals(page.status, 401, path);
    const text = await page.text();
    assertMatch(text, /Open the address that/);
    assert(!text.includes(TOKEN));
  }
  const script = await ask("/app.js", { headers: { authorization: "" } });
  assertEquals([script.status, await script.text()], [200, "</app.js>"]);
  assertEquals((await ask("/other.js")).status, 404);
});

Deno.test("all answers forbid scripts of text, other sites and frames", async () => {
  const ask = client(new ShownRun());
  for (const path of [`/?token=${TOKEN}`, "/", "/app.js", "/no", "/api/runs", "/api/no", RUN]) {
    const { headers } = await ask(path);
    const policy = headers.get("content-security-policy")!;
    assertMatch(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assertMatch(policy, /frame-ancestors 'none'/);
    assert(!policy.includes("unsafe-inline") && !policy.includes(" 'unsafe-eval'"));
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertEquals(headers.get("cross-origin-embedder-policy"), "require-corp");
    assertEquals(headers.get("access-control-allow-origin"), null);
  }
});

Deno.test("the runs, their events, frames and commands need the token in a header", async () => {
  const run = new ShownRun();
  const ask = client(run);
  const paths = ["/api/runs", `${RUN}/events`, `${RUN}/frames/0`, `${RUN}/live`, `${RUN}/files/a`];
  for (const path of paths) {
    for (
      const authorization of ["", "Bearer", "Bearer wrong", `Basic ${TOKEN}`, `Bearer ${TOKEN}1`]
    ) {
      const answer = await ask(`${path}?token=${TOKEN}`, { headers: { authorization } });
      assertEquals(answer.status, 401, `${path} ${authorization}`);
    }
  }
  const stop = { method: "POST", body: '{"action":"stop"}' };
  const { status } = await ask(`${RUN}/commands`, { ...stop, headers: { authorization: "" } });
  assertEquals([status, run.commands], [401, []]);
  assertEquals((await ask(`${RUN}/commands`, stop)).status, 204);
  assertEquals(run.commands, [{ action: "stop" }]);
});

Deno.test("tokens are random, and only the whole one is right", () => {
  const token = newToken();
  assertNotEquals(token, newToken());
  assertMatch(token, /^[\w-]{32}$/);
  assert(isToken(token, token));
  const wrong = [token.slice(1), `${token}a`, "", token.toLowerCase() + "a", "a".repeat(32)];
  assertEquals(wrong.filter((each) => isToken(each, token)), []);
});

Deno.test("a name of another site that leads to this machine is refused", async () => {
  const request = (host: string) => new Request("http://server/", { headers: { host } });
  const fine = [
    "127.0.0.1:1",
    "localhost",
    "LOCALHOST:9",
    "localhost.:2",
    "[::1]:80",
    "10.0.0.7:3",
  ];
  assertEquals(fine.filter((host) => !isOwnHost(request(host), "127.0.0.1")), []);
  const wrong = [
    "",
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "evil.example/127.0.0.1",
    "localhost:80:80",
    "localhost evil",
    "1270.0.0.1",
  ];
  assertEquals(wrong.filter((host) => isOwnHost(request(host), "127.0.0.1")), []);
  assert(isOwnHost(request("Node7:80"), "node7"), "a name that the user has chosen");
  const ask = client(new ShownRun());
  for (const path of ["/app.js", "/api/runs", `/?token=${TOKEN}`, `${RUN}/events`]) {
    assertEquals((await ask(path, { headers: { host: "evil.example:8080" } })).status, 403);
  }
});

Deno.test("requests of other sites are refused even with the token", async () => {
  const run = new ShownRun(), ask = client(run);
  const post = { method: "POST", body: '{"action":"stop"}' };
  const others: Record<string, string>[] = [
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:8081" },
    { origin: "http://localhost:8080" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://127.0.0.1:8080", "sec-fetch-site": "cross-site" },
  ];
  for (const headers of others) {
    assertEquals((await ask(`${RUN}/commands`, { ...post, headers })).status, 403);
    assertEquals((await ask("/api/runs", { headers })).status, 403);
  }
  assertEquals(run.commands, []);
  const own = { origin: "http://127.0.0.1:8080", "sec-fetch-site": "same-origin" };
  assertEquals((await ask(`${RUN}/commands`, { ...post, headers: own })).status, 204);
});

Deno.test("commands that are damaged, unknown or too long are refused with a reason", async () => {
  const run = new ShownRun(), ask = client(run);
  const send = async (body: string | ReadableStream<Uint8Array>) => {
    const answer = await ask(`${RUN}/commands`, { method: "POST", body });
    return [answer.status, (await answer.json()).error];
  };
  assertMatch(String(await send("{")), /^400,Cannot read the command: it is not JSON/);
  assertMatch(String(await send("")), /^400,/);
  for (const body of ["null", "[]", "7", '"stop"']) {
    assertEquals(await send(body), [400, "Cannot read the command: it must be an object"]);
  }
  const unknown = ['{"action":"rm"}', "{}", '{"action":7}', '{"action":"__proto__"}'];
  for (const body of unknown) assertMatch(String(await send(body)), /^400,.*action must be stop/);
  const hooks = ['{"action":"hook"}', '{"action":"hook","name":"a","enabled":1}'];
  for (const body of hooks) assertMatch(String(await send(body)), /a hook needs its name/);
  assertEquals(await send(" ".repeat(4097)), [413, "Cannot read more than 4096 bytes"]);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024).fill(32 + 0 * sent++)),
  }, { highWaterMark: 0 });
  assertEquals((await send(endless))[0], 413);
  assert(sent < 10, `${sent} kB were read of a body without an end`);
  assertEquals(await send('{"action":"pause"}'), [409, "Cannot pause: it is over"]);
  assertEquals(run.commands, []);
});

Deno.test("only the methods of an address are answered", async () => {
  const ask = client(new ShownRun());
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    assertEquals((await ask("/api/runs", { method })).status, 405);
    assertEquals((await ask(`/?token=${TOKEN}`, { method })).status, 405);
    assertEquals((await ask(`${RUN}/events`, { method })).status, 405);
  }
  assertEquals((await ask(`${RUN}/commands`)).status, 405);
});

Deno.test("frames and runs are found by number and id alone", async () => {
  const ask = client(new ShownRun());
  const answer = await ask(`${RUN}/frames/0`), frame = new Uint8Array(await answer.arrayBuffer());
  assertEquals(answer.headers.get("content-length"), String(frame.length));
  assertEquals(decodeFrame(frame), { ...FRAME, fields: {} });
  assertEquals((await ask(`${RUN}/live`)).status, 204);
  const missing = ["frames/1", "frames/-1", "frames/1e0", "frames/", "frames", "frames/0/0", "no"];
  for (const path of missing) assertEquals((await ask(`${RUN}/${path}`)).status, 404, path);
  for (const id of ["", "..", "%2e%2e", "runs", "runs%2Fargon%2F..", "%00", "__proto__"]) {
    const { status } = await ask(`/api/runs/${id}/events`);
    assert(status === 404 || status === 400, `${id}: ${status}`);
  }
  assertEquals((await ask("/api/runs/%ff/events")).status, 400);
});

Deno.test("events are lines of JSON, with blank lines while nothing happens", async () => {
  const events = async function* (signal: AbortSignal) {
    yield { type: "info", run: INFO } as const;
    yield { type: "scalars", names: ["a"], rows: [[1, NaN]] } as const;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const stream = await client(new ShownRun(events), 1)(`${RUN}/events`);
  assertEquals(stream.headers.get("content-type"), "application/x-ndjson");
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  const lines = [(await reader.read()).value!, (await reader.read()).value!];
  assertEquals(lines.map((line) => JSON.parse(line).type), ["info", "scalars"]);
  assertEquals(JSON.parse(lines[1]!).rows, [[1, null]]);
  assertEquals((await reader.read()).value, "\n");
  await reader.cancel();
});

Deno.test("the events of a client end when it leaves, and nothing is read that it does not take", async () => {
  let taken = 0, isOver = false;
  const events = async function* () {
    try {
      for (;;) yield { type: "frames", count: taken++ } as const;
    } finally {
      isOver = true;
    }
  };
  const { body } = await client(new ShownRun(events))(`${RUN}/events`);
  const reader = body!.getReader();
  await reader.read();
  assertEquals(taken, 1);
  await reader.cancel();
  assertEquals([taken, isOver], [1, true]);
});

Deno.test("a stream ends with its events", async () => {
  const run = new ShownRun(() => of([{ type: "behind" }]));
  assertEquals(await (await client(run)(`${RUN}/events`)).text(), '{"type":"behind"}\n');
});

Deno.test("a client that does not unpack gzip, such as curl, gets the text", async () => {
  const packed = new Response("<page>").body!.pipeThrough(new CompressionStream("gzip"));
  const body = new Uint8Array(await new Response(packed).arrayBuffer());
  const handler = pageHandler({
    shelf: shelfOf(new ShownRun()),
    token: TOKEN,
    host: "127.0.0.1",
    assets: () => ({ type: "text/html", body, encoding: "gzip" }),
  });
  const ask = (accepted?: string) =>
    handler(
      new Request("http://127.0.0.1/app.js", {
        headers: {
          host: "127.0.0.1",
          ...(accepted !== undefined && { "accept-encoding": accepted }),
        },
      }),
    );
  for (const accepted of [undefined, "identity", "br", "gzip;q=0"]) {
    const answer = await ask(accepted);
    assertEquals(answer.headers.get("content-encoding"), null, accepted);
    assertEquals(await answer.text(), "<page>", accepted);
  }
  const zipped = await ask("gzip, deflate, br");
  assertEquals(zipped.headers.get("content-encoding"), "gzip");
  assertEquals(new Uint8Array(await zipped.arrayBuffer()), body);
});
