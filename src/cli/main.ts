/**
 * Main module of the command: `deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli demo`.
 *
 * @module
 */

import { runProgram } from "./command.ts";

export { run, type Terminal, UsageError } from "./mod.ts";

if (import.meta.main) await runProgram(import.meta.url);
