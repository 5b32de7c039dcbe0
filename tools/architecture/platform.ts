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

/** Whether this source declares something by `using`, which some browsers in use cannot parse yet. */
export function usesUsing(text: string): boolean {
  return /(?<![.\w$#])using\s+[\w$]+\s*(=|of\b)/.test(codeOf(text));
}
