import { ROOT } from "./files.ts";

/**
 * Copies the crate to a folder with other comments and other names of private functions: it must compile to the same
 * bytes, so that a commit carries new ones only if it changes what kernels do.
 */
export async function copyDisguised(folder: string): Promise<void> {
  await copyFolder(new URL("wasm/src/", ROOT), `${folder}/src/`);
  for (const name of ["Cargo.toml", "Cargo.lock", "build.rs"]) {
    await Deno.copyFile(new URL(`wasm/${name}`, ROOT), `${folder}/${name}`);
  }
}

async function copyFolder(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) {
      await copyFolder(new URL(`${name}/`, from), `${to}${name}/`);
    } else {
      const code = await Deno.readTextFile(new URL(name, from));
      await Deno.writeTextFile(to + name, disguised(code));
    }
  }
}

/** Returns Rust code with the same meaning: lines of comments are left out, and private functions have other names. */
export function disguised(code: string): string {
  const lines = code.split("\n").filter((line) => !/^\s*\/\//.test(line));
  let text = `// Nothing of this is compiled.\n\n${lines.join("\n")}`;
  for (const [, name] of text.matchAll(/^fn (\w+)/gm)) {
    const uses = [...text.matchAll(new RegExp(`(.?)\\b${name}\\b(.{0,2})`, "g"))];
    // A method, a module or a variable may have the same name, and must not be renamed.
    const isPlain = uses.every(([, before, after]) =>
      before !== "." && /^(?:[(<]|::)/.test(after!)
    );
    if (isPlain) text = text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `another_${name}`);
  }
  return text;
}
