/** The address of a webhook is a secret: no warning, error or output contains its path or query. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Heartbeat, Webhook } from "../../src/observe/mod.ts";
import { send } from "../../src/observe/any/request.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { validating } from "./training_line.ts";

const PATH = "/services/T0SECRET/B1SECRET", QUERY = "token=xSECRETx";

/** A free port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(),
  );
  const { port } = server.addr;
  await server.shutdown();
  return port;
}

/** Everything in a warning, its causes included. */
function allOf(value: unknown): string {
  if (value instanceof AggregateError) return `${value} ${value.errors.map(allOf)}`;
  if (value instanceof Error) return `${value} ${value.stack} ${allOf(value.cause)}`;
  return Deno.inspect(value, { depth: 10 });
}

Deno.test("warnings of webhooks and heartbeats, and their causes, contain no path and no query", async () => {
  const port = await closedPort();
  const user = "http://me:pwSECRET@127.0.0.1:9999";
  for (
    const url of [
      `http://127.0.0.1:${port}${PATH}?${QUERY}`,
      `http://nowhere.invalid${PATH}?${QUERY}`,
      `${user}${PATH}`,
    ]
  ) {
    for (const make of [() => new Webhook({ url }), () => new Heartbeat({ url })]) {
      const warnings: HookWarning[] = [];
      await using trainer = validating([4], [make()], {
        onWarning: (warning) => void warnings.push(warning),
      });
      await trainer.train();
      assert(warnings.length > 0);
      const text = warnings.map(({ error }) => allOf(error)).join();
      assertEquals(text.includes("SECRET"), false, text);
      assertStringIncludes(text, new URL(url).host);
    }
  }
});

Deno.test("nor does the warning that is printed by default", async () => {
  const url = `http://127.0.0.1:${await closedPort()}${PATH}?${QUERY}`;
  const printed: string[] = [], { warn } = console;
  console.warn = (...all: unknown[]) => void printed.push(all.map(allOf).join(" "));
  try {
    await using trainer = validating([4], [new Webhook({ url })]);
    await trainer.train();
  } finally {
    console.warn = warn;
  }
  assertStringIncludes(printed.join(), "connection refused");
  assertEquals(printed.join().includes("SECRET"), false, printed.join());
});

Deno.test("a wrong address is refused without being shown", () => {
  for (const url of [`htp://x${PATH}`, `${PATH}?${QUERY}`, new URL(`ftp://x${PATH}`)]) {
    const error = (() => {
      try {
        return void new Webhook({ url });
      } catch (error) {
        return error as Error;
      }
    })();
    assert(error instanceof TypeError);
    assertStringIncludes(error.message, "url must begin with http");
    assertEquals(error.message.includes("SECRET"), false);
  }
});

Deno.test("redirects are followed only to the same host and path", async () => {
  const got: string[] = [];
  let location = "";
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    got.push(`${request.method} ${pathname}${search} ${await request.text()}`);
    if (got.length > 1) return new Response();
    return new Response(null, { status: 307, headers: { location } });
  });
  const url = `http://127.0.0.1:${server.addr.port}${PATH}`;
  const post = { method: "POST", body: "text" };
  for (
    location of [
      "http://localhost:1/other",
      "/other",
      `http://localhost:${server.addr.port}${PATH}`,
      "file:///etc/hosts",
      "data:text/plain,x",
      "https://",
    ]
  ) {
    got.length = 0;
    const error = await assertRejects(() => send(url, post), Error, "which is not followed");
    assertEquals([got.length, error.message.includes("SECRET")], [1, false]);
  }
  got.length = 0;
  location = `${PATH}?again`;
  await send(url, post);
  assertEquals(got, [`POST ${PATH} text`, `POST ${PATH}?again text`]);
  await server.shutdown();
});
