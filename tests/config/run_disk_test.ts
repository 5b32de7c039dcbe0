// Run folders on disks that are full or read-only.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lacks } from "../machine.ts";
import { fileURLToPath } from "node:url";
import { readRun } from "../../src/config/runs/mod.ts";
import type { Told } from "./run_on_disk.ts";

/** Runs dynamics in a folder on a separate disk, which is copied at the end; returns the output. */
async function runOn(mount: string, parent: string): Promise<Told> {
  const [disk, beside, copy] = ["disk", "log.csv", "copy"].map((name) => `${parent}/${name}`);
  await Deno.mkdir(disk!);
  const script = fileURLToPath(new URL("run_on_disk.ts", import.meta.url));
  const { stdout, stderr, success } = await new Deno.Command("unshare", {
    args: [
      "-rm",
      "sh",
      "-c",
      `mount -t tmpfs -o ${mount} none "$0" && "$@"; cp -r "$0" "${copy}"`,
      disk!,
      Deno.execPath(),
      "run",
      "-A",
      "--no-check",
      script,
      `${disk}/run`,
      beside!,
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test({
  name:
    "on a full disk a run continues to its end, its other files are complete, and the losses are warnings",
  ignore: lacks("disks"),
  async fn() {
    const parent = await Deno.makeTempDir();
    const result = await runOn("size=160k", parent);
    assertEquals([result.refused, result.steps, result.status], [undefined, 100, "completed"]);
    const hooks = new Set(result.warnings.map(([hook]) => hook));
    assert(hooks.has("checkpoints"), JSON.stringify(result.warnings));
    for (const [hook, message] of result.warnings) {
      assert(/ENOSPC|space/.test(message), `${hook}: ${message}`);
    }
    const rows = (await Deno.readTextFile(`${parent}/log.csv`)).trimEnd().split("\n");
    assertEquals(rows.length, 11);
    // All existing files are complete.
    const names = [...Deno.readDirSync(`${parent}/copy/run/checkpoints`)].map(({ name }) => name);
    assert(names.length > 0 && names.every((name) => /^step-\d+\.hooke$/.test(name)), names.join());
    const { history } = await readRun(`${parent}/copy/run`);
    assert(history.names().includes("energy"));
    await Deno.remove(parent, { recursive: true });
  },
});

Deno.test({
  name: "a read-only folder is refused with a code",
  ignore: lacks("disks"),
  async fn() {
    const parent = await Deno.makeTempDir();
    const { refused } = await runOn("ro", parent);
    assertEquals(refused?.code, "EROFS");
    assertStringIncludes(
      refused!.message,
      `Cannot create folder ${parent}/disk/run: the file system is read-only`,
    );
    await Deno.remove(parent, { recursive: true });
  },
});
