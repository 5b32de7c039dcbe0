/**
 * The scalars of a run as metrics, through whatever OpenTelemetry API the process has registered.
 *
 * @module
 */

import { registry, type ScalarGauge, type ScalarMeter } from "./open_telemetry.ts";
import type { ReporterTimes, ScalarReporter } from "./scalar_reporter.ts";

/** What a reporter for OpenTelemetry can be told. */
export interface OpenTelemetryReporterOptions extends ReporterTimes {
  /**
   * Where the metrics go.
   *
   * @default the registered API's, as with `OTEL_DENO=true`; where there is none nothing is told
   */
  readonly meter?: ScalarMeter;
  /**
   * What stands before the name of each scalar.
   *
   * @default "hooke."
   */
  readonly prefix?: string;
}

/**
 * Tells OpenTelemetry the scalars of a run: a gauge for each, and `hooke.step`, with the engine's name as attribute
 * `hooke.engine`. What is no finite number is not told.
 *
 * @example
 * ```ts
 * import { openTelemetryReporter } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const told: unknown[] = [];
 * const meter = { createGauge: (name: string) => ({ record: (x: number) => void told.push([name, x]) }) };
 * const reporter = openTelemetryReporter({ meter });
 * reporter.open!();
 * const at = { time: 1e9, stage: "dynamics/AFTER_STEP", engine: "FIRE" };
 * reporter.report({ step: 4, ...at, scalars: { fmax: 0.5, energy: NaN } });
 * assertEquals(told, [["hooke.step", 4], ["hooke.fmax", 0.5]]);
 * ```
 */
export function openTelemetryReporter(
  options: OpenTelemetryReporterOptions = {},
): ScalarReporter {
  const { meter: given, prefix = "hooke.", ...times } = options;
  const gauges = new Map<string, ScalarGauge>();
  let meter = given;
  const gaugeOf = (name: string): ScalarGauge | undefined => {
    if (meter === undefined) return undefined;
    let gauge = gauges.get(name);
    if (gauge === undefined) gauges.set(name, gauge = meter.createGauge(prefix + name));
    return gauge;
  };
  return {
    name: "opentelemetry",
    ...times,
    open() {
      meter = given ?? registry()?.metrics?.getMeter("@hooke/hooke");
    },
    report({ step, engine, scalars }) {
      for (const [name, value] of Object.entries({ step, ...scalars })) {
        if (Number.isFinite(value)) gaugeOf(name)?.record(value, { "hooke.engine": engine });
      }
    },
  };
}
