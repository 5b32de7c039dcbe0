// The least that every command does first: import the argument parser, and parse the arguments.
import { parseArgs } from "@std/cli/parse-args";

if (import.meta.main) parseArgs(Deno.args);
