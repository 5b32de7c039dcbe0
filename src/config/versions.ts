/**
 * What ran, by version.
 *
 * @module
 */

import { findDeno, findNavigator } from "../platform/host.ts";

/** This package's version; a test holds it to the one that is published. */
const HOOKE = "0.1.0";

/** What ran: this package and what is below it. What a runtime does not tell is left out. */
export interface Versions {
  /** This package. */
  readonly hooke: string;
  /** Deno, if this is Deno. */
  readonly deno?: string;
  /** V8, where it tells. */
  readonly v8?: string;
  /** TypeScript, where the runtime compiles it. */
  readonly typescript?: string;
  /** The user agent, in a browser and in any runtime that is not Deno. */
  readonly userAgent?: string;
  /** Deno's target triple, or what the browser calls the platform; `"unknown"` where nobody says. */
  readonly platform: string;
}

/**
 * The versions of this package and of the runtime it runs in: Deno's or a browser's.
 *
 * @example
 * ```ts
 * import { versions } from "@hooke/hooke/config";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const { hooke, deno, platform } = versions();
 * assertMatch(hooke, /^\d+\.\d+\.\d+/);
 * assertEquals([deno, platform], [Deno.version.deno, Deno.build.target]);
 * ```
 */
export function versions(): Versions {
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
