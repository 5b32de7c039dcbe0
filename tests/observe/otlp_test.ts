// Spans of Deno's own OpenTelemetry, received over the network.
import { assert, assertEquals } from "@std/assert";

interface ReceivedSpan {
  name: string;
  spanId: string;
  parentSpanId: string;
  traceId: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface ExportRequest {
  resourceSpans: { scopeSpans: { scope: { name: string }; spans: ReceivedSpan[] }[] }[];
}

/** Runs the child with OpenTelemetry on or off; returns what it exported under the package's name. */
async function exported(isOn: boolean): Promise<{ spans: ReceivedSpan[]; output: string }> {
  const spans: ReceivedSpan[] = [];
  const receive = async (request: Request) => {
    const body = await request.json();
    if (new URL(request.url).pathname === "/v1/traces") {
      for (const { scopeSpans } of (body as ExportRequest).resourceSpans) {
        const own = scopeSpans.filter(({ scope }) => scope.name === "@hooke/hooke");
        spans.push(...own.flatMap((each) => each.spans));
      }
    }
    return Response.json({});
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, receive);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("./otlp_child.ts", import.meta.url).href],
    env: {
      OTEL_DENO: String(isOn),
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
    },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert(success, text(stderr));
  return { spans, output: text(stdout).trim() };
}

Deno.test("with OTEL_DENO=true a receiver gets spans named by domain and transition, within one per run", async () => {
  const { spans, output } = await exported(true);
  assertEquals(output, "true");
  assertEquals(spans.map(({ name }) => name).toSorted(), [
    "dynamics BEFORE_STEP→AFTER_STEP",
    "dynamics BEFORE_STEP→AFTER_STEP",
    "feed",
    "learn",
    "pipeline BEFORE_PROCESS→AFTER_PROCESS",
    "pipeline BEFORE_PROCESS→AFTER_PROCESS",
    "training BEFORE_FORWARD→AFTER_LOSS",
    "training BEFORE_FORWARD→AFTER_LOSS",
    "walk",
  ]);
  const runs = new Map(
    spans.filter(({ parentSpanId }) => parentSpanId === "").map((run) => [run.spanId, run]),
  );
  assertEquals([...runs.values()].map(({ name }) => name).toSorted(), ["feed", "learn", "walk"]);
  const steps: unknown[] = [];
  for (const span of spans) {
    const { parentSpanId, attributes, startTimeUnixNano: start, endTimeUnixNano: end } = span;
    assert(BigInt(start) <= BigInt(end));
    const run = runs.get(parentSpanId);
    if (run === undefined) continue;
    assertEquals(run.traceId, span.traceId);
    assert(BigInt(run.startTimeUnixNano) <= BigInt(start), "it begins within its run");
    assert(BigInt(end) <= BigInt(run.endTimeUnixNano), "it ends within its run");
    const value = (key: string) => attributes.find((each) => each.key === key)?.value;
    assertEquals(value("hooke.engine"), { stringValue: run.name });
    assertEquals(value("hooke.domain"), { stringValue: span.name.split(" ")[0] });
    steps.push(...Object.values(value("hooke.step")!).map(Number));
  }
  assertEquals(steps.toSorted(), [0, 0, 0, 2, 2, 2]);
  const now = BigInt(Date.now()) * 1_000_000n;
  const age = now - BigInt(spans[0]!.startTimeUnixNano);
  assert(age >= 0n && age < 60_000_000_000n, `the spans are ${age} ns old`);
});

Deno.test("with OpenTelemetry off nothing is exported, and the profiler works without it", async () => {
  assertEquals(await exported(false), { spans: [], output: "false" });
});
