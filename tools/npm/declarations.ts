import { filesIn } from "./files_in.ts";
import { run } from "./run.ts";

/**
 * Interfaces of web platforms that the declarations use, and those of their members that the declarations name. They
 * merge with those of the library `dom`, `@types/node` and `@webgpu/types`, and let a program that has none of these
 * use the rest of the package.
 */
const INTERFACES: Readonly<Record<string, string>> = {
  AbortSignal: "{}",
  GPUAdapter: "{ readonly info: GPUAdapterInfo }",
  GPUAdapterInfo: "{}",
  GPUBuffer: "{}",
  GPUDevice: "{}",
  GPUDeviceLostInfo: "{}",
  GPURequestAdapterOptions: "{}",
  URL: "{}",
  Worker: "{}",
};

/** Name of the file that declares them. */
const INTERFACES_FILE = "interfaces.d.ts";

/** Libraries of TypeScript that declarations name if they use what the libraries declare. */
const LIBRARIES: readonly (readonly [name: string, use: RegExp])[] = [
  ["dom", /\b(HTML\w*Element|SVG\w*Element|RequestInit)\b|\(element: Element\b/],
  ["esnext.disposable", /\b(Async)?Disposable\b|\bSymbol\.(asyncD|d)ispose\b/],
  ["esnext.float16", /\bFloat16Array\b/],
];

/**
 * Writes the declarations of the public modules, with the folders of the sources. With `references` they name the
 * libraries that they use; Deno has these libraries, and JSR refuses such references.
 */
export async function writeTypes(
  out: string,
  { references }: { readonly references: boolean },
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(Deno.execPath(), ["pack", "--allow-dirty", `--output=${folder}/types.tgz`]);
    await run("tar", ["xzf", `${folder}/types.tgz`, "-C", folder]);
    for (const path of filesIn(`${folder}/package`, ".d.ts")) {
      const to = `${out}/${path}`;
      await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
      const text = mended(await Deno.readTextFile(`${folder}/package/${path}`));
      await Deno.writeTextFile(to, references ? withReferences(text, path) : text);
    }
    if (!references) return;
    const interfaces = Object.entries(INTERFACES)
      .map(([name, members]) => `interface ${name} ${members}\n`);
    await Deno.writeTextFile(`${out}/${INTERFACES_FILE}`, interfaces.join(""));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Mends two faults of the declarations that `deno pack` writes. It places the comment of a member of a constant after
 * `readonly`, where a comment of several lines ends the declaration; and a script without exports is no module.
 */
function mended(declarations: string): string {
  const text = declarations.replace(/readonly (\/\*\*[^]*?\*\/) /g, "$1 readonly ");
  return /^(export|import)\b/m.test(text) ? text : `${text}export {};\n`;
}

/**
 * Adds references to the libraries and interfaces that declarations use. Throws if they use another interface of WebGPU.
 */
function withReferences(declarations: string, path: string): string {
  const other = declarations.match(/\bGPU[A-Z]\w*/g)?.find((name) => !(name in INTERFACES));
  if (other !== undefined) throw new Error(`${path} uses ${other}, which is not in INTERFACES`);
  const references = LIBRARIES.filter(([, use]) => use.test(declarations))
    .map(([name]) => `/// <reference lib="${name}" />\n`);
  if (Object.keys(INTERFACES).some((name) => new RegExp(`\\b${name}\\b`).test(declarations))) {
    const up = "../".repeat(path.split("/").length - 1) || "./";
    references.push(`/// <reference path="${up}${INTERFACES_FILE}" />\n`);
  }
  return references.join("") + declarations;
}
