/**
 * Checks that a reader can copy from a page: that its commands exist, and that the tests run its examples.
 *
 * @module
 */

/** A fenced block: what stands behind the opening fence, and the lines inside. */
export interface Fence {
  info: string;
  lines: string[];
}

/** Names that a command may use. */
export interface Project {
  /** The names of the tasks in deno.json. */
  tasks: readonly string[];
  /** Returns true if a file or folder exists. `path` is relative to the root. */
  exists(path: string): boolean;
}

/** The fenced blocks of a page, in order. */
export function fences(markdown: string): Fence[] {
  const blocks = markdown.matchAll(/^( *)```([^\n`]*)\n([\s\S]*?)^\1```\s*$/gm);
  return [...blocks].map(([, , info, body]) => ({
    info: info!.trim(),
    lines: body!.split("\n").map((line) => line.trim()).filter((line) => line !== ""),
  }));
}

/** The beginning and the name of a file that a page writes with `cat`, and its lines up to the closing word. */
const WRITTEN = /^( *)cat > (\S+) <<'?(\w+)'?\n[\s\S]*?^\1\3$/gm;

/** Returns the paths of the files that the commands of a page write with `cat`. */
export function writtenFiles(markdown: string): string[] {
  return [...markdown.matchAll(WRITTEN)].map(([, , path]) => path!);
}

/** The commands of a page: the lines of its `sh` blocks, without prompts, comments and the lines of written files. */
export function commands(markdown: string): string[] {
  return fences(markdown.replaceAll(WRITTEN, "")).filter(({ info }) => info === "sh")
    .flatMap(({ lines }) => lines)
    .map((line) => line.replace(/^\$ /, "").replace(/(^|\s+)#.*$/, ""))
    .filter((line) => line !== "");
}

/** Returns the reason why a command does not work as written, or `undefined` if it works. */
export function refuseCommand(command: string, { tasks, exists }: Project): string | undefined {
  const words = command.split(/\s+/);
  const deno = words[0] === "deno" ? 1 : /^npx -y deno@2\.9\.6( |$)/.test(command) ? 3 : undefined;
  if (deno === undefined) {
    return words[0]!.includes("/") && !exists(words[0]!) ? `there is no ${words[0]}` : undefined;
  }
  if (words[deno] === "task") {
    const task = words[deno + 1] ?? "";
    return tasks.includes(task) ? undefined : `there is no task "${task}"`;
  }
  const missing = words.slice(deno + 1).find((word) => isLocalModule(word) && !exists(word));
  return missing === undefined ? undefined : `there is no ${missing}`;
}

function isLocalModule(word: string): boolean {
  return /\.tsx?$/.test(word) && !word.startsWith("-") && !word.includes(":");
}

/** The TypeScript and JavaScript blocks that `deno test --doc` would pass over. */
export function unrunExamples(markdown: string): string[] {
  return fences(markdown).map(({ info }) => info)
    .filter((info) => /^(ts|js|typescript|javascript|mts|mjs|tsx|jsx)\b/i.test(info))
    .filter((info) => /\b(ignore|no-run|no-test)\b/.test(info));
}

/** Returns the anchors that GitHub gives the headings of a page, in order. */
export function anchors(markdown: string): string[] {
  const text = markdown.replaceAll(/^( *)```[^\n]*\n[\s\S]*?^\1```\s*$/gm, "");
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) => {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const anchor = plain.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}
