import type { TestCase } from "../../src/testing/mod.ts";

/** The names of the cases that fail, with what they say. */
export async function failing(cases: readonly TestCase[]): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failed.set(name, (error as Error).message);
    }
  }
  return failed;
}
