import { assertEquals, assertThrows } from "@std/assert";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { outputOf, tensor } from "./one_node.ts";

function einsum(equation: string, ...inputs: PlainTensor[]): PlainTensor {
  return outputOf("Einsum", inputs, { attributes: { equation } });
}

const A = tensor([2, 3], [1, 2, 3, 4, 5, 6]), B = tensor([3, 2], [7, 8, 9, 10, 11, 12]);
const S = tensor([2, 2], [1, 2, 3, 4]);

Deno.test("Einsum sums over labels missing from the output", () => {
  assertEquals(einsum("ij,jk->ik", A, B), tensor([2, 2], [58, 64, 139, 154]));
  assertEquals(einsum(" i j -> j i ", A), tensor([3, 2], [1, 4, 2, 5, 3, 6]));
  assertEquals(einsum("ij->", A), tensor([], [21]));
  assertEquals(
    einsum("i,j->ij", tensor([2], [1, 2]), tensor([2], [3, 4])),
    tensor([2, 2], [3, 4, 6, 8]),
  );
  assertEquals(einsum("ij,jk,kl->il", A, B, S), tensor([2, 2], [250, 372, 601, 894]));
});

Deno.test("Einsum takes the diagonal if a label is repeated", () => {
  assertEquals(einsum("ii->i", S), tensor([2], [1, 4]));
  assertEquals(einsum("ii", S), tensor([], [5]));
  assertEquals(einsum("iij->j", tensor([2, 2, 1], [1, 2, 3, 4])), tensor([1], [5]));
});

Deno.test("Einsum without an arrow outputs unique labels in alphabetical order", () => {
  assertEquals(einsum("ba", A), tensor([3, 2], [1, 4, 2, 5, 3, 6]));
  assertEquals(einsum("ij,jk", A, B), tensor([2, 2], [58, 64, 139, 154]));
  assertEquals(einsum("aB", A), tensor([3, 2], [1, 4, 2, 5, 3, 6]));
  assertEquals(einsum("i...", A), tensor([3, 2], [1, 4, 2, 5, 3, 6]));
});

Deno.test("Einsum aligns ellipsis axes at their end and broadcasts them", () => {
  const batches = tensor([2, 1, 2, 2], [1, 2, 3, 4, 1, 0, 0, 1]);
  const vectors = tensor([2, 2], [1, 1, 1, -1]);
  const products = einsum("...ij,...j->...i", batches, vectors);
  assertEquals(products, tensor([2, 2, 2], [3, 7, -1, -1, 1, 1, 1, -1]));
  assertEquals(einsum("...->...", A), A);
  assertEquals(einsum("i...->i", A), tensor([2], [6, 15]));
});

Deno.test("Einsum over an empty axis is 0", () => {
  assertEquals(einsum("ij->i", tensor([2, 0], [])), tensor([2], [0, 0]));
  assertEquals(einsum("ij->ij", tensor([2, 0], [])), tensor([2, 0], []));
});

Deno.test("Einsum rejects invalid equations", () => {
  for (
    const equation of [
      "ij,jk->ik",
      "i->i",
      "ijk",
      "ij->k",
      "ij->ii",
      "i1",
      "ij->i->j",
      "..i..",
    ]
  ) {
    assertThrows(() => einsum(equation, A), RangeError, "Cannot evaluate the Einsum", equation);
  }
  assertThrows(() => einsum("ij,jk", A, A), RangeError, 'all lengths of "j" must be equal');
});
