import { checkAgainstModel } from "./model.ts";

Deno.test("random sequences of add, remove, toggle and fire equal the obvious registry", () =>
  checkAgainstModel(400));
