/**
 * OpenTelemetry spans and gauges through the API that the process has registered, so that no package is needed.
 *
 * @module
 */

import type { Milliseconds, Transition, TransitionOutput } from "../profile/transition.ts";

/** Members of an OpenTelemetry span that Hooke uses. */
export interface ProfileSpan {
  /** Ends the span at a time in ms since 1970. */
  end(endTime?: number): void;
}

/** Members of an OpenTelemetry tracer that Hooke uses. Tracers of `@opentelemetry/api` have them. */
export interface ProfileTracer {
  /** Begins a span at a time in ms since 1970. */
  startSpan(
    name: string,
    options?: { startTime?: number; attributes?: Record<string, string | number> },
    context?: OtelContext,
  ): ProfileSpan;
}

/** Members of an OpenTelemetry gauge that Hooke uses. */
export interface ScalarGauge {
  /** Records the value of the gauge. */
  record(value: number, attributes?: Record<string, string>): void;
}

/** Members of an OpenTelemetry meter that Hooke uses. Meters of `@opentelemetry/api` have them. */
export interface ScalarMeter {
  /** Creates a gauge. */
  createGauge(name: string): ScalarGauge;
}

/** Members of an OpenTelemetry context that Hooke uses. */
export interface OtelContext {
  /** Returns the value of a key. */
  getValue(key: symbol): unknown;
  /** Returns a copy of the context with a value for a key. */
  setValue(key: symbol, value: unknown): OtelContext;
  /** Returns a copy of the context without the value of a key. */
  deleteValue(key: symbol): OtelContext;
}

interface OtelRegistry {
  readonly trace?: { getTracer(name: string): ProfileTracer };
  readonly metrics?: { getMeter(name: string): ScalarMeter };
  readonly context?: { active(): OtelContext };
}

// Both names are part of the API's contract: packages/api/src/internal/global-utils.ts and trace/context-utils.ts of
// open-telemetry/opentelemetry-js. Deno registers its API under this symbol if OTEL_DENO is "true".
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/** Returns the registered OpenTelemetry API, if there is one. */
export function registry(): OtelRegistry | undefined {
  return (globalThis as Readonly<Record<symbol, unknown>>)[REGISTRY] as OtelRegistry | undefined;
}

/** Returns the tracer of the registered OpenTelemetry API, if there is one. */
export function registeredTracer(): ProfileTracer | undefined {
  return registry()?.trace?.getTracer("@hooke/hooke");
}

/** Creates one span per run of an engine, and one child span per transition. */
export class OtelSpans implements TransitionOutput {
  readonly #tracer: ProfileTracer;
  readonly #names = new Map<Transition, string>();
  readonly #runs = new Map<number, { span: ProfileSpan; context: OtelContext | undefined }>();

  constructor(tracer: ProfileTracer) {
    this.#tracer = tracer;
  }

  open(engine: number, name: string, time: Milliseconds): void {
    this.#runs.get(engine)?.span.end(sinceEpoch(time));
    const span = this.#tracer.startSpan(name, { startTime: sinceEpoch(time) });
    const context = registry()?.context?.active().setValue(SPAN_KEY, span);
    this.#runs.set(engine, { span, context });
  }

  stage(): void {}

  transition(transition: Transition, start: Milliseconds, end: Milliseconds, step: number): void {
    const { track } = transition;
    const span = this.#tracer.startSpan(this.#name(transition), {
      startTime: sinceEpoch(start),
      attributes: {
        "hooke.engine": track.engine,
        "hooke.domain": track.domain,
        "hooke.step": step,
      },
    }, this.#runs.get(track.pid)?.context);
    span.end(sinceEpoch(end));
  }

  close(time: Milliseconds): void {
    for (const { span } of this.#runs.values()) span.end(sinceEpoch(time));
    this.#runs.clear();
  }

  #name(transition: Transition): string {
    let name = this.#names.get(transition);
    if (name === undefined) {
      name = spanName(transition);
      this.#names.set(transition, name);
    }
    return name;
  }
}

/**
 * Returns the name of a span: `dynamics BEFORE_STEP→AFTER_STEP`. A stage of another domain keeps its prefix:
 * `dynamics training/EPOCH_END→…`.
 */
function spanName({ from, to, track: { domain } }: Transition): string {
  const short = (stage: string) =>
    stage.startsWith(`${domain}/`) ? stage.slice(domain.length + 1) : stage;
  return `${domain} ${short(from)}→${short(to)}`;
}

function sinceEpoch(time: Milliseconds): number {
  return performance.timeOrigin + time;
}
