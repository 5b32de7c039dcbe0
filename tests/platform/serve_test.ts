import { assertEquals } from "@std/assert";
import { listen } from "../../src/platform/serve.ts";

Deno.test("the body of an answer is cancelled if the client has left before the answer begins", async () => {
  const asked = Promise.withResolvers<void>(), gone = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: () => cancelled.resolve(),
  }, { highWaterMark: 0 });
  const server = await listen(async () => {
    asked.resolve();
    await gone.promise;
    return new Response(body);
  }, { host: "127.0.0.1", port: 0 });
  try {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await asked.promise;
    connection.close();
    // The server notices it within a turn or two of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.resolve();
    const late = setTimeout(
      () => cancelled.reject(new Error("the body was not cancelled")),
      20_000,
    );
    await cancelled.promise;
    clearTimeout(late);
  } finally {
    await server.close();
  }
  assertEquals(body.locked, true);
});
