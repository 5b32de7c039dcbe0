// Metrics of Deno's own OpenTelemetry, received over the network.
import { assert, assertEquals } from "@std/assert";

interface Point {
  readonly asDouble?: number;
  readonly asInt?: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

interface Metric {
  readonly name: string;
  readonly gauge: { readonly dataPoints: readonly Point[] };
}

interface ExportRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string };
      readonly metrics: readonly Metric[];
    }[];
  }[];
}

Deno.test("with OTEL_DENO=true a receiver gets a gauge for each scalar, with the engine's name", async () => {
  const metrics = new Map<string, Metric>();
  const receive = async (request: Request) => {
    const body = await request.json();
    if (new URL(request.url).pathname === "/v1/metrics") {
      for (const { scopeMetrics } of (body as ExportRequest).resourceMetrics) {
        const own = scopeMetrics.filter(({ scope }) => scope.name === "@hooke/hooke");
        for (const metric of own.flatMap(({ metrics }) => metrics)) {
          metrics.set(metric.name, metric);
        }
      }
    }
    return Response.json({});
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, receive);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("./otlp_metrics_child.ts", import.meta.url).href],
    env: {
      OTEL_DENO: "true",
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}`,
    },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const last = [...metrics].map(([name, { gauge }]) => {
    const { asDouble, asInt, attributes } = gauge.dataPoints.at(-1)!;
    assertEquals(attributes, [{ key: "hooke.engine", value: { stringValue: "walk" } }]);
    return [name, asDouble ?? Number(asInt)] as const;
  });
  const { "hooke.walk/steps_per_s": rate, ...others } = Object.fromEntries(last);
  assertEquals(others, { "hooke.step": 2, "hooke.walk/x": 2.5 });
  assert(rate! > 0);
});
