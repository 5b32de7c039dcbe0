/**
 * A stand-in for `@std/cli`, used only where JSR cannot be reached: `parseArgs`, with the behavior that @std
 * documents. See ../std.ts for how it is switched on.
 *
 * @module
 */

export { parseArgs } from "./parse_args.ts";
export type { Args, ParseOptions } from "./parse_args.ts";
