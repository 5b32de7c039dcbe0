import { assertEquals, assertStrictEquals } from "@std/assert";
import process from "node:process";
import { sqlite } from "../../src/platform/sqlite.ts";

Deno.test("SQLite is loaded without the warning of Node 22, and other warnings are passed on", () => {
  const host = process as unknown as Record<"emitWarning" | "getBuiltinModule", unknown>;
  const { emitWarning, getBuiltinModule } = host, module = { DatabaseSync: class {} };
  const warnings: unknown[] = [];
  const record = (warning: unknown) => void warnings.push(warning);
  try {
    host.emitWarning = record;
    host.getBuiltinModule = () => {
      const emit = host.emitWarning as (warning: string, kind: string) => void;
      emit("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
      emit("another", "ExperimentalWarning");
      return module;
    };
    assertStrictEquals(sqlite() as unknown, module);
    assertStrictEquals(host.emitWarning, record);
    assertEquals(warnings, ["another"]);
  } finally {
    Object.assign(host, { emitWarning, getBuiltinModule });
  }
});
