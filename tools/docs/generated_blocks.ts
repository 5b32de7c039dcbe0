/**
 * Writes the pictures of ARCHITECTURE.md as Mermaid: the floor plan, from the import graph, and one step, from a
 * recording of a step. Writes the table of tasks of AGENTS.md, from deno.json, and the help of each command in
 * docs/cli.md.
 *
 * Run: `deno task gen:pages`
 *
 * @module
 */

import { type ImportGraph, loadGraph } from "../architecture/graph.ts";
import { roomOf } from "../architecture/rooms.ts";
import { sourceFiles } from "../architecture/source_files.ts";
import { ROOT } from "../check/entry_points.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { commandHelp } from "../../src/cli/frame/help.ts";
import { replaceBlock } from "./blocks.ts";
import { recordStep, stepDiagram } from "./step_diagram.ts";

/** Rooms that every other room may import, and rooms that may import every other: arrows of these would hide the rest. */
const LEFT_OUT: readonly string[] = ["base", "platform", "mod.ts", "cli", "testing"];

/** Returns the rooms, and for each the rooms that its files import. */
export function roomImports({ files }: Pick<ImportGraph, "files">): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    const room = roomOf(file);
    if (room === undefined || LEFT_OUT.includes(room)) continue;
    const found = rooms.get(room) ?? new Set();
    rooms.set(room, found);
    for (const target of targets) {
      const other = roomOf(target);
      if (other !== undefined && other !== room && !LEFT_OUT.includes(other)) found.add(other);
    }
  }
  return rooms;
}

/** Returns the imports without those that follow from others: A → C is left out if A → B and B → C. */
export function directImports(
  rooms: ReadonlyMap<string, ReadonlySet<string>>,
): [from: string, to: string][] {
  const reaches = (from: string, to: string): boolean =>
    [...rooms.get(from) ?? []].some((next) => next === to || reaches(next, to));
  return [...rooms.keys()].toSorted().flatMap((from) =>
    [...rooms.get(from)!].toSorted()
      .filter((to) => ![...rooms.get(from)!].some((other) => other !== to && reaches(other, to)))
      .map((to): [string, string] => [from, to])
  );
}

/** Returns the floor plan as Mermaid: each arrow points to a room that is imported. */
export function floorPlan(graph: Pick<ImportGraph, "files">): string {
  const id = (room: string) => room.replace(/\W/g, "_");
  const rooms = roomImports(graph);
  const boxes = [...rooms.keys()].toSorted().map((room) => `  ${id(room)}["${room}"]`);
  const arrows = directImports(rooms).map(([from, to]) => `  ${id(from)} --> ${id(to)}`);
  return ["```mermaid", "flowchart TD", ...boxes, ...arrows, "```"].join("\n");
}

/** Returns the tasks of deno.json as a list. */
export function taskList(
  tasks: Readonly<Record<string, { readonly description: string }>>,
): string {
  return Object.entries(tasks).map(([name, { description }]) => `- \`${name}\`: ${description}`)
    .join("\n");
}

/** Returns the help of each command as a block of docs/cli.md, by the name of the command. */
export async function commandBlocks(): Promise<Record<string, string>> {
  const blocks: Record<string, string> = {};
  for (const { name, open } of COMMANDS) {
    blocks[name] = `\`\`\`text\n${commandHelp("hooke", await open())}\n\`\`\``;
  }
  return blocks;
}

/** Writes blocks of a page again. */
async function rewrite(file: string, blocks: Readonly<Record<string, string>>): Promise<void> {
  const url = new URL(file, ROOT);
  const page = await Deno.readTextFile(url);
  const rewritten = Object.entries(blocks)
    .reduce((text, [name, block]) => replaceBlock(text, name, block), page);
  await Deno.writeTextFile(url, rewritten);
  const format = new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", file], cwd: ROOT });
  if (!(await format.output()).success) throw new Error(`deno fmt failed for ${file}`);
}

if (import.meta.main) {
  const files = (await sourceFiles(ROOT)).filter((file) => /^src\/.*\.ts$/.test(file));
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  await rewrite("ARCHITECTURE.md", {
    "floor plan": floorPlan(await loadGraph(ROOT, files)),
    "step": stepDiagram(await recordStep()),
  });
  await rewrite("AGENTS.md", { "tasks": taskList(tasks) });
  await rewrite("docs/cli.md", await commandBlocks());
}
