import { assert, assertEquals, assertGreater } from "@std/assert";

const ROOT = new URL("../", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("tests/promises.md", ROOT));

/** A row's last cell: `tests/a_test.ts: its name |`. */
const REFERENCE = /\| (tests\/[\w/]+_test\.ts): (.+?) +\|$/;

/** The rows of the tables of a page. */
function rowsOf(page: string): string[] {
  return page.split("\n").filter((line) =>
    line.startsWith("|") && !/^\|( ?-+ ?\|| *(statement|scenario) +\|)/.test(line)
  );
}

/** The first cells of the rows of a page. */
function statementsOf(page: string): string[] {
  return rowsOf(page).map((row) => row.split(" | ")[0]!.replace(/^\|/, "").trim());
}

/** The references of a page, and the rows that have none. */
function readRows(page: string): { references: [file: string, test: string][]; others: string[] } {
  const rows = rowsOf(page);
  const matches = rows.map((row) => REFERENCE.exec(row));
  return {
    references: matches.flatMap((match) => match === null ? [] : [[match[1]!, match[2]!]]),
    others: rows.filter((_, i) => matches[i] === null),
  };
}

/** Does the text define a test of that name? */
function defines(text: string, test: string): boolean {
  return [JSON.stringify(test), `\`${test}\``, `'${test}'`].some((name) => isTest(text, name));
}

function isTest(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    // The second form is for tests that need a GPU, those after it for models, for Python and for one of the suites, the last one for options.
    if (
      /(Deno\.test|testOnGpu|onModels\)?|modelTest|timedTest|pythonTest|slowTest|\btest|\b(slow|fast)\(\w+\)|Deno\.test\(\{\s*name:)\(?\s*$/
        .test(
          text.slice(0, at),
        )
    ) {
      return true;
    }
  }
  return false;
}

Deno.test("every promise names a test that exists", async () => {
  const { references, others } = readRows(PAGE);
  assertEquals(others, []);
  assertGreater(references.length, 30);
  for (const [file, test] of references) {
    assert(
      defines(await Deno.readTextFile(new URL(file, ROOT)), test),
      `${file} has no test "${test}"`,
    );
  }
});

Deno.test("every promise is a statement of its own", () => {
  const statements = statementsOf(PAGE);
  assertEquals(statements.filter((statement) => /^(…|\.\.\.|and |or )/.test(statement)), []);
  const repeated = statements.filter((statement, i) => statements.indexOf(statement) < i);
  assertEquals(repeated, []);
  assertEquals(statementsOf("| statement | test |\n|---|---|\n| a b | x |\n| … c | y |"), [
    "a b",
    "… c",
  ]);
});

Deno.test("a row without a test, and a test that is not there, are found", () => {
  const page =
    "| statement | test |\n|---|---|\n| a | tests/x/a_test.ts: it holds |\n| b | later |";
  assertEquals(readRows(page), {
    references: [["tests/x/a_test.ts", "it holds"]],
    others: ["| b | later |"],
  });
  assert(defines('Deno.test("it holds", () => {});', "it holds"));
  assert(!defines('Deno.test("it holds not", () => {});', "it holds"));
  assert(defines("Deno.test('it \"holds\"', () => {});", 'it "holds"'));
  assert(defines('testOnGpu(\n  "it holds",', "it holds"));
  assert(defines('Deno.test({\n  name: "it holds",', "it holds"));
  assert(!defines('log("it holds"); t.step("it holds", fn);', "it holds"));
});
