import { assertEquals } from "@std/assert";
import {
  commands,
  fences,
  refuseCommand,
  unrunExamples,
  writtenFiles,
} from "../../tools/check/markdown.ts";

const PAGE = `
# A page

\`\`\`sh
$ deno task demo   # the demo
# a comment

.ci/run
\`\`\`

- in a list:
  \`\`\`ts ignore
  const a = 1;
  \`\`\`

\`\`\`ts
const b = "\`\`";
\`\`\`
`;

Deno.test("fences() finds the blocks of a page with what stands behind the fence", () => {
  assertEquals(fences(PAGE).map(({ info, lines }) => [info, lines.length]), [
    ["sh", 3],
    ["ts ignore", 1],
    ["ts", 1],
  ]);
});

Deno.test("commands() drops prompts, comments and empty lines", () => {
  assertEquals(commands(PAGE), ["deno task demo", ".ci/run"]);
});

Deno.test("unrunExamples() finds blocks that deno test --doc passes over", () => {
  assertEquals(unrunExamples(PAGE), ["ts ignore"]);
});

Deno.test("refuseCommand() finds tasks and files that do not exist", () => {
  const project = {
    tasks: ["demo", "bench:table"],
    exists: (path: string) => ["examples/a.ts", ".ci/run"].includes(path),
  };
  const good = [
    "deno task demo",
    "npx -y deno@2.9.6 task demo",
    "deno task bench:table hooks --json",
    "deno run examples/a.ts --seed 1",
    ".ci/run",
    "deno add jsr:@hooke/hooke",
    "git status",
  ];
  assertEquals(good.filter((command) => refuseCommand(command, project) !== undefined), []);
  const bad = [
    "deno task dmo",
    "npx -y deno@2.9.6 task dmo",
    "deno task",
    "deno run examples/b.ts",
    ".ci/runs",
  ];
  assertEquals(bad.map((command) => refuseCommand(command, project)), [
    'there is no task "dmo"',
    'there is no task "dmo"',
    'there is no task ""',
    "there is no examples/b.ts",
    "there is no .ci/runs",
  ]);
});

Deno.test("files that a page writes are known, and their lines are no commands", () => {
  const page =
    "```sh\ncat > new.ts <<'END'\nimport a from \"./a.ts\";\ntools/none\nEND\nls new.ts\n```\n";
  assertEquals(writtenFiles(page), ["new.ts"]);
  assertEquals(commands(page), ["ls new.ts"]);
});
