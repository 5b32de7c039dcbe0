// What a file system may do in the middle of it, on a made-up one.
import { assertEquals, assertRejects } from "@std/assert";
import { type FileSystem, type OpenFile, replaceFile } from "../../src/checkpoint/replace_file.ts";

const OLD = Uint8Array.of(1), NEW = Uint8Array.of(2, 3);

/** An error as a file system gives it. */
function refusal(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Files in memory, which record requests and fail on request. */
class Disk implements FileSystem {
  readonly files: Map<string, Uint8Array> = new Map([["/run/a", OLD]]);
  readonly modes: Map<string, number> = new Map([["/run/a", 0o100640]]);
  readonly log: string[] = [];
  opened = 0;
  failing: Readonly<Record<string, string>> = {};

  #note(call: string): Promise<void> {
    this.log.push(call);
    const code = this.failing[call];
    return code === undefined ? Promise.resolve() : Promise.reject(refusal(code));
  }

  async open(path: string, flags: "r" | "wx", mode = 0o666): Promise<OpenFile> {
    const name = flags === "r" ? "folder" : "beside";
    await this.#note(`open ${name}`);
    this.opened++;
    if (flags === "wx") {
      this.files.set(path, new Uint8Array(0));
      this.modes.set(path, mode & ~0o077);
    }
    return {
      writeFile: (bytes) => {
        this.files.set(path, bytes.slice(0, 1)); // should it fail, a part is there
        return this.#note("write").then(() => void this.files.set(path, bytes));
      },
      chmod: (mode) => this.#note("chmod").then(() => void this.modes.set(path, mode)),
      sync: () => this.#note(`sync ${name}`),
      close: () => {
        this.opened--;
        return this.#note(`close ${name}`);
      },
    };
  }

  realpath(path: string): Promise<string> {
    if (path === "/link") return Promise.resolve("/run/a");
    return this.#note("realpath").then(() => this.#known(path));
  }

  stat(path: string): Promise<{ readonly mode: number }> {
    return this.#note("stat").then(() => ({ mode: this.modes.get(this.#known(path))! }));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#note("rename");
    for (const map of [this.files, this.modes] as Map<string, unknown>[]) {
      map.set(to, map.get(from));
      map.delete(from);
    }
  }

  async unlink(path: string): Promise<void> {
    await this.#note("unlink");
    this.files.delete(path);
  }

  folderOf(path: string): string | undefined {
    return path.slice(0, path.lastIndexOf("/"));
  }

  #known(path: string): string {
    if (!this.files.has(path)) throw refusal("ENOENT");
    return path;
  }
}

const WHOLE = [
  "realpath",
  "stat",
  "open folder",
  "open beside",
  "write",
  "chmod",
  "sync beside",
  "close beside",
  "rename",
  "sync folder",
  "close folder",
];

Deno.test("the bytes are flushed before the rename, and the rename before the end", async () => {
  const disk = new Disk();
  await replaceFile(disk, "/run/a", NEW);
  assertEquals(disk.log, WHOLE);
  assertEquals([...disk.files], [["/run/a", NEW]]);
});

Deno.test("a failure before the rename leaves the old file, no temporary file, and nothing open", async () => {
  for (const call of WHOLE.slice(0, WHOLE.indexOf("rename") + 1)) {
    const disk = new Disk();
    disk.failing = { [call]: "EIO" };
    await assertRejects(() => replaceFile(disk, "/run/a", NEW), Error, "EIO");
    assertEquals([...disk.files], [["/run/a", OLD]], call);
    assertEquals(disk.opened, 0, call);
  }
});

Deno.test("the first error is reported, whatever fails after it", async () => {
  const disk = new Disk();
  const after = { "close beside": "EBADF", unlink: "EACCES", "close folder": "EBADF" };
  disk.failing = { write: "ENOSPC", ...after };
  await assertRejects(() => replaceFile(disk, "/run/a", NEW), Error, "ENOSPC");
  assertEquals(disk.files.get("/run/a"), OLD);
});

Deno.test("a failed flush of a folder is reported, except by file systems without it", async () => {
  for (const [code, isTold] of [["EIO", true], ["EINVAL", false], ["ENOTSUP", false]] as const) {
    const disk = new Disk();
    disk.failing = { "sync folder": code };
    const replacing = replaceFile(disk, "/run/a", NEW);
    if (isTold) await assertRejects(() => replacing, Error, code);
    else await replacing;
    assertEquals([...disk.files], [["/run/a", NEW]]);
    assertEquals(disk.opened, 0);
  }
});

Deno.test("permissions are kept, and a new file has those of the process", async () => {
  const disk = new Disk();
  await replaceFile(disk, "/run/a", NEW);
  await replaceFile(disk, "/run/b", NEW);
  assertEquals(disk.modes, new Map([["/run/a", 0o640], ["/run/b", 0o600]]));
});

Deno.test("a link is followed, and its target is replaced", async () => {
  const disk = new Disk();
  await replaceFile(disk, "/link", NEW);
  assertEquals([...disk.files], [["/run/a", NEW]]);
});

Deno.test("without folders that can be opened, only the file is flushed", async () => {
  const disk = new Disk();
  disk.folderOf = () => undefined;
  await replaceFile(disk, "/run/a", NEW);
  assertEquals(disk.log, WHOLE.filter((call) => !call.endsWith("folder")));
});
