/**
 * A process that writes a file again and again, and is killed.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";

/** Lets a script write a file a while, then kills it; `salt` says how soon after its first write. */
export async function killInMidRun(script: URL, path: string, salt: number): Promise<void> {
  const before = await stampOf(path);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path],
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && await stampOf(path) === before) await pause(1); // until it has written once
  await pause((salt * 0.618 % 1) * 20);
  assert(!isOver, "the process ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
}

/** Returns a text that changes with every write, whether or not the write makes a new file. */
async function stampOf(path: string): Promise<string> {
  const { ino, mtime } = await Deno.stat(path);
  return `${ino} ${mtime?.getTime()}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
