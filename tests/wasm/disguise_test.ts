import { assertEquals } from "@std/assert";
import { disguised } from "../../tools/wasm/disguise.ts";

Deno.test("disguised() drops comments and renames private functions, but nothing that could be something else", () => {
  const code = `//! Kernels.

/// Twice.
fn twice(x: f64) -> f64 { 2.0 * x }
fn size(x: f64) -> f64 { x }
pub fn kernel(x: f64) -> f64 { twice(x) + list.size() + size(x) } // kept`;
  assertEquals(
    disguised(code),
    `// Nothing of this is compiled.


fn another_twice(x: f64) -> f64 { 2.0 * x }
fn size(x: f64) -> f64 { x }
pub fn kernel(x: f64) -> f64 { another_twice(x) + list.size() + size(x) } // kept`,
  );
});
