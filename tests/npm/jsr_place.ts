/**
 * A temporary place in which Deno publishes a copy of the repository and programs import it.
 *
 * @module
 */

import { STAND_INS, use, useLock } from "../../tools/airgap/std.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { JsrRegistry } from "./jsr_registry.ts";
import { Trap } from "./trap.ts";

/** Output of a program. */
export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Version of the stand-ins for `@std`; any of major version 1 is one that Hooke asks for. */
const STD_VERSION = "1.999.0";

/** A registry, a copy of the repository that uses it, and an empty folder of a user. */
export class Place implements AsyncDisposable {
  readonly registry: JsrRegistry = new JsrRegistry();
  readonly trap: Trap = new Trap();
  /** Copy of all files that git tracks. */
  readonly tree: string;
  /** Folder of a user. It has a lock file for npm packages, as their metadata may be missing in Deno's cache. */
  readonly user: string;
  /** Folder of npm packages that Deno has already downloaded on this machine. */
  readonly npmCache: string;
  readonly #root: string;

  private constructor(root: string, npmCache: string) {
    this.#root = root;
    this.tree = `${root}/tree`;
    this.user = `${root}/user`;
    this.npmCache = npmCache;
  }

  static async open(): Promise<Place> {
    const root = await Deno.realPath(await Deno.makeTempDir());
    const place = new Place(root, await npmCache());
    for (const folder of ["tree", "user", "deno"]) await Deno.mkdir(`${root}/${folder}`);
    // npm's registry is not on this machine. The cache of JSR packages is a new one.
    await Deno.symlink(place.npmCache, `${root}/deno/npm`);
    await copyTree(place.tree);
    await useJsr(place.tree);
    const lock = JSON.parse(await Deno.readTextFile(new URL("tools/airgap/npm.lock", ROOT)));
    delete lock.workspace; // Deno would drop the packages of a workspace that is not this folder
    await Deno.writeTextFile(`${place.user}/deno.lock`, JSON.stringify(lock));
    await addStandIns(place.registry);
    return place;
  }

  /** Runs Deno with no variables but `env` and those for the registry, the cache and the trap. */
  async deno(
    cwd: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Output> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: `${this.#root}/deno`,
        DENO_NO_UPDATE_CHECK: "1",
        JSR_URL: this.registry.url,
        NO_COLOR: "1",
        ...this.trap.env,
        ...env,
      },
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, stdout: out!, stderr: err! };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    await this.trap[Symbol.asyncDispose]();
    await Deno.remove(this.#root, { recursive: true });
  }
}

/** Returns the paths of files that git tracks and that exist. */
export async function trackedFiles(): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "-z"], cwd: ROOT })
    .output();
  const paths = new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
  const exist = await Promise.all(
    paths.map(async (path) => await Deno.stat(new URL(path, ROOT)).then(() => true, () => false)),
  );
  return paths.filter((_, i) => exist[i]);
}

async function copyTree(target: string): Promise<void> {
  for (const path of await trackedFiles()) {
    const to = `${target}/${path}`;
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(new URL(path, ROOT), to);
  }
}

/** Makes a tree use `@std` from the registry, as on a machine that reaches JSR. */
async function useJsr(tree: string): Promise<void> {
  const root = new URL(`file://${tree}/tools/airgap/`);
  await use("jsr", root);
  await useLock("jsr", root);
}

/** Adds the stand-ins for `@std` to the registry. */
async function addStandIns(registry: JsrRegistry): Promise<void> {
  for (const { folder, name, exports } of STAND_INS) {
    const url = new URL(`tools/airgap/${folder}/`, ROOT), files = new Map<string, Uint8Array>();
    for await (const { name } of Deno.readDir(url)) {
      if (name.endsWith(".ts")) files.set(`/${name}`, await Deno.readFile(new URL(name, url)));
    }
    registry.add({ name, version: STD_VERSION, exports }, files);
  }
}

async function npmCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}
