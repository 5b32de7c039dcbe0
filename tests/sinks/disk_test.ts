// Full disks, read-only disks, and files of other users.
import { assert, assertEquals } from "@std/assert";
import { lacks } from "../machine.ts";
import { fileURLToPath } from "node:url";
import { withFolder } from "../checkpoint/folder.ts";
import { FILES } from "./formats.ts";
import type { Told } from "./full_disk.ts";

const MOUNT = "mount -t tmpfs -o size=192k none";

/** Runs a program with a disk mounted at `folder`; returns its output. */
async function onDisk(mount: string, folder: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("unshare", {
    args: ["-rm", "sh", "-c", `${mount} "$0" && exec "$@"`, folder, Deno.execPath(), ...args],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test({
  name:
    "a full disk gives an error with a code and no incomplete record, and writing continues once there is room",
  ignore: lacks("disks"),
  fn: () =>
    withFolder(async (folder) => {
      const script = fileURLToPath(new URL("full_disk.ts", import.meta.url));
      for (const ending of FILES) {
        const [small, beside] = [`${folder}/small-${ending}`, `${folder}/${ending}`];
        await Deno.mkdir(small);
        await Deno.mkdir(beside);
        const mount = ending === "csv" ? MOUNT.replace("192k", "72k") : MOUNT;
        const args = ["run", "-A", "--no-check", script, small, beside, ending];
        const told: Told = JSON.parse(await onDisk(mount, small, args));
        const [full, after] = told.lengths as [number, number];
        assert(/^Cannot write to .*(no space left|full)/i.test(told.message), told.message);
        assert(told.code === "ENOSPC" || ending === "db", String(told.code));
        assertEquals([after, told.beside], [full + 3, full + 4]);
        if (ending === "csv") continue;
        const steps = Array.from({ length: full + 4 }, (_, i) => i);
        assertEquals(told.steps, steps.filter((step) => step !== full));
      }
    }),
});

const OPEN = (sinks: string | URL) => `
import { openSink } from "${sinks}";
for (const path of Deno.args) {
  await openSink(path).then(
    () => console.log("opened"),
    ({ code, message }) => console.log(code, message),
  );
}
`;

Deno.test({
  name: "a read-only disk gives an error with a code",
  ignore: lacks("disks"),
  fn: () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/disk`);
      const sinks = new URL("../../src/sinks/mod.ts", import.meta.url);
      await Deno.writeTextFile(`${folder}/open.ts`, OPEN(sinks));
      const paths = FILES.map((ending) => `${folder}/disk/x.${ending}`);
      const args = ["run", "-A", "--no-check", `${folder}/open.ts`, ...paths];
      const lines = (await onDisk("mount -t tmpfs -o ro none", `${folder}/disk`, args)).split("\n");
      for (const [i, path] of paths.entries()) {
        assert(
          lines[i]!.startsWith(`EROFS Cannot open ${path}: the file system is read-only`),
          lines[i],
        );
      }
    }),
});

Deno.test("files and folders without write permission give errors with a code, and are not changed", () =>
  withFolder(async (folder) => {
    // Permissions do not restrict root, so another user runs it, without access to the sources and the
    // runtime in their usual folders.
    const source = fileURLToPath(new URL("../../src", import.meta.url));
    await new Deno.Command("cp", { args: ["-r", source, folder] }).output();
    const nobody = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : undefined;
    const runtime = nobody === undefined ? Deno.execPath() : `${folder}/deno`;
    if (nobody !== undefined) await Deno.copyFile(Deno.execPath(), runtime);
    await Deno.writeTextFile(`${folder}/open.ts`, OPEN("./src/sinks/mod.ts"));
    await Deno.mkdir(`${folder}/locked`);
    await Deno.mkdir(`${folder}/cache`);
    const paths = FILES.flatMap((ending) => [
      `${folder}/locked/x.${ending}`,
      `${folder}/x.${ending}`,
    ]);
    for (const path of paths.filter((_, i) => i % 2 === 1)) {
      await Deno.writeTextFile(path, "");
      await Deno.chmod(path, 0o444);
    }
    await Deno.chmod(`${folder}/locked`, 0o555);
    await Deno.chmod(`${folder}/cache`, 0o777);
    await Deno.chmod(folder, 0o755);
    const { stdout, stderr } = await new Deno.Command(runtime, {
      args: ["run", "-A", "--no-check", `${folder}/open.ts`, ...paths],
      cwd: folder, // the other user may not enter the current folder
      env: { DENO_DIR: `${folder}/cache`, HOME: `${folder}/cache` },
      ...nobody,
    }).output();
    const lines = new TextDecoder().decode(stdout).split("\n");
    for (const [i, path] of paths.entries()) {
      const why = `${lines[i]} ${new TextDecoder().decode(stderr)}`;
      assert(lines[i]!.startsWith(`EACCES Cannot open ${path}: permission denied`), why);
      if (i % 2 === 1) assertEquals((await Deno.stat(path)).size, 0);
    }
    await Deno.chmod(`${folder}/locked`, 0o755);
  }));
