/** Training on 1, 2 and 4 processes. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { withFolder } from "../../checkpoint/folder.ts";

const MACHINE = fileURLToPath(new URL("machine.ts", import.meta.url));

/** Trains in several processes at a time. Returns the hashes of their checkpoints. */
async function train(folder: string, shards: string, nodes: number): Promise<string[]> {
  const ranks = Array.from({ length: nodes }, (_, rank) => rank);
  return await Promise.all(ranks.map(async (rank) => {
    const out = `${folder}/${nodes}-${rank}-${shards}.hooke`;
    const args = [`${folder}/${nodes}`, shards, `${nodes}`, `${rank}`, out];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", MACHINE, ...args],
      stdout: "null",
      stderr: "piped",
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(out));
    return new Uint8Array(hash).toHex();
  }));
}

Deno.test("checkpoints of 4 shards have the same bytes from 1, 2 and 4 processes", async () => {
  await withFolder(async (folder) => {
    const [wanted] = await train(folder, "4", 1);
    assertEquals(await train(folder, "4", 2), [wanted, wanted]);
    assertEquals(await train(folder, "4", 4), [wanted, wanted, wanted, wanted]);
  });
});
