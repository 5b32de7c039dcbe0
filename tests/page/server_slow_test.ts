// The server of the page with real sockets: clients that are slow, mute, many, or mean.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { RunEvent } from "../../src/page/protocol.ts";
import { EventLog } from "../../src/page/feed/event_log.ts";
import { type ServedPage, servePage } from "../../src/page/server/serve_page.ts";
import { INFO, shelfOf, ShownRun } from "./shown_run.ts";

const RUN = `/api/runs/${encodeURIComponent(INFO.id)}`;
/** Longer than any machine needs. */
const PATIENCE = 60_000;

interface Place {
  readonly page: ServedPage;
  readonly port: number;
  readonly run: ShownRun;
  readonly log: EventLog;
  ask(path: string, init?: RequestInit): Promise<Response>;
}

async function withServer(
  work: (place: Place) => Promise<void>,
  events?: ShownRun["events"],
): Promise<void> {
  const log = new EventLog();
  log.publish({ type: "info", run: INFO });
  const run = new ShownRun(events ?? ((signal) => log.events(signal)));
  const assets = (path: string) => path === "/" ? { type: "text/plain", body: "page" } : undefined;
  const page = await servePage({ shelf: shelfOf(run), host: "127.0.0.1", port: 0, assets });
  const { origin, port, searchParams } = new URL(page.url);
  const headers = { authorization: `Bearer ${searchParams.get("token")}` };
  try {
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { headers, ...init });
    await work({ page, port: Number(port), run, log, ask });
  } finally {
    await page.close();
  }
}

/** Sends bytes as they are, and returns the status of the answer; undefined if the connection was closed. */
async function raw(port: number, text: string): Promise<number | undefined> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(new TextEncoder().encode(text));
    const bytes = new Uint8Array(4096), length = await connection.read(bytes);
    if (length === null) return undefined;
    const status = /^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(bytes.subarray(0, length)));
    return Number(status?.[1]);
  } catch {
    return undefined;
  } finally {
    connection.close();
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!holds()) {
    assert(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("paths, hosts and headers that no browser sends are refused", async () => {
  await withServer(async ({ port, page, ask }) => {
    const token = new URL(page.url).searchParams.get("token");
    const host = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`;
    assertEquals(await raw(port, `GET /api/runs HTTP/1.1\r\n${host}\r\n`), 200);
    const paths = [
      "/api/runs/../../etc/passwd",
      `${RUN}/files/../../../etc/passwd`,
      `${RUN}/files/%2e%2e/%2e%2e/etc/passwd`,
      `${RUN}/files/..%2f..%2fetc%2fpasswd`,
      `${RUN}/files//etc/passwd`,
      "//evil.example/api/runs",
      "*",
      "/%00",
      `${RUN}/files/a%00b`,
      `${RUN}/files/secret`,
    ];
    for (const path of paths) {
      const status = await raw(port, `GET ${path} HTTP/1.1\r\n${host}\r\n`);
      assert(status === undefined || status >= 400 && status < 500, `${path}: ${status}`);
    }
    assertEquals(await raw(port, `GET /api/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n`), 403);
    const foreign = `GET http://evil.example/api/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n`;
    assert((await raw(port, foreign) ?? 400) >= 400);
    const hostless = await raw(port, "GET /api/runs HTTP/1.0\r\n\r\n");
    assert((hostless ?? 400) >= 400, `without a host: ${hostless}`);
    const long = `X: ${"a".repeat(40_000)}\r\n`;
    const refused = await raw(port, `GET /api/runs HTTP/1.1\r\n${host}${long}\r\n`);
    assert((refused ?? 431) >= 400, `headers of 40 kB: ${refused}`);
    assert((await raw(port, "\0\xff\x16\x03\x01 garbage\r\n\r\n") ?? 400) >= 400);
    assertEquals((await ask("/api/runs")).status, 200, "the server goes on");
  });
});

Deno.test("a body that is too long is refused, whether its length is said or not", async () => {
  await withServer(async ({ port, page, run, ask }) => {
    const post = (body: BodyInit) => ask(`${RUN}/commands`, { method: "POST", body });
    const long = await post(" ".repeat(1 << 20)).then(({ status }) => status, () => 413);
    assertEquals(long, 413);
    const token = new URL(page.url).searchParams.get("token");
    const head =
      `POST ${RUN}/commands HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
    const chunk = `1000\r\n${" ".repeat(4096)}\r\n`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`;
    assertEquals(await raw(port, chunked), 413);
    assertEquals(await raw(port, `${head}Content-Length: 999999999999\r\n\r\n{}`), 413);
    assertEquals((await post('{"action":"stop"}')).status, 204);
    assertEquals(run.commands, [{ action: "stop" }]);
  });
});

Deno.test("200 idle streams leave the server free for others, and end when they leave", async () => {
  await withServer(async ({ log, ask }) => {
    const end = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 200 }, () => ask(`${RUN}/events`, { signal: end.signal })),
    );
    const readers = streams.map(({ body }) => body!.getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    await until("all are there", () => log.clients === 200);
    const [begun, runs] = [performance.now(), await ask("/api/runs")];
    assertEquals(runs.status, 200);
    await runs.body!.cancel();
    assert(performance.now() - begun < PATIENCE / 4);
    log.publish({ type: "warning", message: "hot" });
    const lines = await Promise.all(readers.map((reader) => reader.read()));
    const texts = lines.map(({ value }) => new TextDecoder().decode(value).trim());
    assertEquals(new Set(texts), new Set(['{"type":"warning","message":"hot"}']));
    end.abort();
    await Promise.allSettled(readers.map((reader) => reader.cancel()));
    await until("all have left", () => log.clients === 0);
  });
});

Deno.test("a client that stops reading costs a bounded amount of memory", async () => {
  let taken = 0, isOver = false;
  // One event of 100 kB after the other, as fast as they are taken.
  const rows = Array.from({ length: 5000 }, (_, i) => [i, 1 / 3]);
  const events = async function* () {
    try {
      for (;;) {
        taken++;
        yield { type: "scalars", names: ["a"], rows } as RunEvent;
      }
    } finally {
      isOver = true;
    }
  };
  await withServer(async ({ port, page, ask }) => {
    const token = new URL(page.url).searchParams.get("token");
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode(
      `GET ${RUN}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ));
    await until("events are taken", () => taken > 0);
    // It has stalled once nothing was taken while the server answered others many times.
    let before = -1;
    while (taken !== before) {
      before = taken;
      for (let i = 0; i < 50; i++) await (await ask("/api/runs")).text();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    console.log(`      a mute client: ${(taken * 0.11).toFixed(1)} MB were taken`);
    assert(taken * 0.11 < 32, `${taken} events of 110 kB were taken for a client that reads none`);
    connection.close();
    await until("its stream ends", () => isOver);
  }, events);
});

Deno.test("headers that never end are cut off, and further connections are still answered", async () => {
  await withServer(async ({ port, ask }) => {
    const mute = await Promise.all(
      Array.from({ length: 100 }, () => Deno.connect({ hostname: "127.0.0.1", port })),
    );
    for (const connection of mute) {
      await connection.write(new TextEncoder().encode("GET /api/runs HTTP/1.1\r\nX: "));
    }
    assertEquals((await ask("/api/runs")).status, 200);
    const first = mute[0]!, bytes = new Uint8Array(100);
    let isCut = false;
    const cut = first.read(bytes).catch(() => null).finally(() => isCut = true);
    await until("the headers that never end are cut off", () => isCut);
    const length = await cut;
    const text = length === null ? "" : new TextDecoder().decode(bytes.subarray(0, length));
    assertMatch(text, /^(HTTP\/1\.1 408 .*)?/);
    for (const connection of mute) connection.close();
  });
});

Deno.test("a port that is in use and an address that does not exist are named", async () => {
  await withServer(async ({ port }) => {
    const assets = () => undefined, shelf = shelfOf(new ShownRun());
    const serve = (host: string, port: number) => servePage({ shelf, host, port, assets });
    await assertRejects(() => serve("127.0.0.1", port), Error, `port ${port} is in use`);
    await assertRejects(() => serve("203.0.113.1", 0), Error, "no address 203.0.113.1");
    const page = await serve("0.0.0.0", 0);
    assertMatch(page.warning!, /can be reached from other machines/);
    assertMatch(page.url, /^http:\/\/127\.0\.0\.1:/);
    await page.close();
  });
});
