import { codeOf } from "./code.ts";

/** Globals that only Deno has, or only a page. What every worker has too, like `performance`, is fine. */
const PLATFORM = [
  "Deno",
  "process",
  "require",
  "__dirname",
  "window",
  "document",
  "navigator",
  "location",
  "localStorage",
  "sessionStorage",
  "HTMLElement",
  "Element",
  "XMLHttpRequest",
  "requestAnimationFrame",
  "customElements",
];

/** The globals of one platform that this source mentions as such: not as a property, not in a comment. */
export function platformGlobals(text: string): string[] {
  const code = codeOf(text);
  return PLATFORM.filter((name) => new RegExp(`(?<![.\\w$#])${name}(?![\\w$:])`).test(code));
}

/** Returns true if the source declares a variable with `using`, which some current browsers cannot parse. */
export function usesUsing(text: string): boolean {
  return /(?<![.\w$#])using\s+[\w$]+\s*(=|of\b)/.test(codeOf(text));
}

/** Names of parts of `globalThis` that only some platforms have. */
const PARTS = "process|navigator|document|location";

/** A member of `globalThis`, or of a type that says what it may have: library types name what may be missing by `?`. */
const CALLS = new RegExp(
  `\\b(?:Deno\\b|getBuiltinModule\\b|globalThis\\??\\.(?:${PARTS})|(?:${PARTS})\\?:)`,
);

/** Returns whether a source calls a platform: by a global that it may lack, or by a built-in module. */
export function callsPlatform(text: string, packages: readonly string[]): boolean {
  return packages.some((name) => name.startsWith("node:")) || CALLS.test(codeOf(text));
}
