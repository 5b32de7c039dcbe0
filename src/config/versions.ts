/**
 * Versions of this package and of the runtime.
 *
 * @module
 */

import { findDeno, findNavigator } from "../platform/host.ts";

/** Version of this package. A test compares it with the version in `deno.json`. */
const HOOKE = "0.1.0";

/** Versions of this package and of the runtime. Versions that a runtime does not report are left out. */
export interface VersionInfo {
  /** Version of this package. */
  readonly hooke: string;
  /** Version of Deno, if the runtime is Deno. */
  readonly deno?: string;
  /** Version of V8, if the runtime reports it. */
  readonly v8?: string;
  /** Version of TypeScript, if the runtime reports it. */
  readonly typescript?: string;
  /** User agent, in browsers and in runtimes other than Deno. */
  readonly userAgent?: string;
  /** Target triple of Deno, or platform of the browser; `"unknown"` if neither is known. */
  readonly platform: string;
}

/**
 * Returns the versions of this package and of the runtime, Deno or a browser.
 *
 * @example
 * ```ts
 * import { versions } from "@hooke/hooke/runs";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const { hooke, deno, platform } = versions();
 * assertMatch(hooke, /^\d+\.\d+\.\d+/);
 * assertEquals([deno, platform], [Deno.version.deno, Deno.build.target]);
 * ```
 */
export function versions(): VersionInfo {
  const deno = findDeno();
  if (deno !== undefined) {
    const { deno: version, v8, typescript } = deno.version;
    return { hooke: HOOKE, deno: version, v8, typescript, platform: deno.build.target };
  }
  const { userAgent, platform } = findNavigator() ?? {};
  return {
    hooke: HOOKE,
    ...(userAgent !== undefined && { userAgent }),
    platform: platform || "unknown",
  };
}
