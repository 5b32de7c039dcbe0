/**
 * Versions of this package and of the runtime.
 *
 * @module
 */

import { findHost } from "../platform/host.ts";
import { findNavigator } from "../platform/page.ts";
import { findProcess } from "../platform/process.ts";

/** Version of this package. A test compares it with the version in `deno.json`. */
const HOOKE = "0.1.0";

/** Versions of this package and of the runtime. Versions that a runtime does not report are left out. */
export interface VersionInfo {
  /** Version of this package. */
  readonly hooke: string;
  /** Version of Deno, if the runtime is Deno. */
  readonly deno?: string;
  /** Version of Node, if the runtime is Node. */
  readonly node?: string;
  /** Version of V8, if the runtime reports it. */
  readonly v8?: string;
  /** Version of TypeScript, if the runtime reports it. */
  readonly typescript?: string;
  /** User agent of a browser. */
  readonly userAgent?: string;
  /**
   * Target triple of Deno, processor and operating system of Node, or platform of a browser; `"unknown"` if the
   * browser does not report it.
   */
  readonly platform: string;
}

/**
 * Returns the versions of this package and of the runtime: Deno, Node or a browser.
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
  const host = findHost();
  if (host?.version !== undefined) {
    const { deno, v8, typescript } = host.version;
    return { hooke: HOOKE, deno, v8, typescript, platform: host.build.target };
  }
  if (host !== undefined) {
    const { node, v8 } = findProcess()?.versions ?? {};
    return {
      hooke: HOOKE,
      ...(node !== undefined && { node }),
      ...(v8 !== undefined && { v8 }),
      platform: host.build.target,
    };
  }
  const { userAgent, platform } = findNavigator() ?? {};
  return {
    hooke: HOOKE,
    ...(userAgent !== undefined && { userAgent }),
    platform: platform || "unknown",
  };
}
