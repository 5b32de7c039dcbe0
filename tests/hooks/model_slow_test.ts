import { checkAgainstModel } from "./model.ts";

Deno.test("a hundred thousand random sequences equal the obvious registry", () =>
  checkAgainstModel(100_000));
