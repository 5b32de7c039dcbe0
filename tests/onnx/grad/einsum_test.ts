import { assertThrows } from "@std/assert";
import { few } from "../../suite.ts";
import { checkSlopes } from "./check_slopes.ts";
import { assertOnRuntime } from "./on_runtime.ts";

type Dims = readonly number[];

const PRODUCTS: readonly (readonly [equation: string, ...operands: Dims[]])[] = [
  ["ij,jk->ik", [2, 3], [3, 4]],
  ["ij,kj->ki", [2, 3], [4, 3]],
  ["bij,bjk->bik", [2, 3, 4], [2, 4, 5]],
  ["bij,bkj->bik", [2, 3, 4], [2, 5, 4]],
  ["bhid,bhjd->bhij", [2, 3, 4, 2], [2, 3, 5, 2]],
  ["ij,ij->", [2, 3], [2, 3]],
  ["ij,ij->i", [2, 3], [2, 3]],
  ["i,i->", [3], [3]],
  ["i,j->ij", [2], [3]],
  ["i,j->ji", [2], [3]],
  ["ij,j", [2, 3], [3]],
  ["bi,bj->ij", [4, 2], [4, 3]],
  ["mn,zkn->mkz", [2, 3], [4, 5, 3]],
  ["zmn,zkn->mk", [4, 2, 3], [4, 5, 3]],
  ["abc,cd->abd", [2, 3, 4], [4, 5]],
  ["abc,dce->adbe", [2, 3, 4], [5, 4, 3]],
  ["sabc,sdce->sadbe", [2, 2, 3, 4], [2, 5, 4, 3]],
  ["ui,uij,uj->u", [2, 3], [2, 3, 4], [2, 4]],
  ["i,j,k->ijk", [2], [3], [2]],
  ["ij,jk,kl,li->", [2, 3], [3, 2], [2, 3], [3, 2]],
  ["ij->ji", [2, 3]],
  ["ij->i", [2, 3]],
  ["ij->", [2, 3]],
  ["ij,k->i", [2, 3], [4]],
  ["...ij,...jk->...ik", [2, 3, 3], [2, 3, 3]],
  ["...ij,...jk->...ik", [2, 2, 3], [3, 4]],
  ["...ij,...jk->...ik", [2, 2, 3], [5, 1, 3, 4]],
  ["...i,...i->...", [2, 3], [2, 3]],
  ["i...,j...->ij", [2, 3], [4, 3]],
  ["bij , bjk", [2, 3, 4], [2, 4, 5]],
];

Deno.test("first and second derivatives of Einsum agree with finite differences", () => {
  for (const [equation, ...operands] of PRODUCTS) {
    checkSlopes({
      op: "Einsum",
      attributes: { equation },
      inputs: operands.map((dims) => ({ dims })),
    });
  }
});

Deno.test("Einsum has a gradient if an axis is empty", () => {
  for (
    const [equation, ...operands] of [
      ["ij,jk->ik", [0, 3], [3, 4]],
      ["ij,jk->ik", [2, 0], [0, 4]],
      ["bij,bjk->bik", [0, 3, 4], [0, 4, 5]],
      ["bij,bjk->bik", [2, 0, 4], [2, 4, 5]],
      ["abc,dce->adbe", [2, 0, 4], [5, 4, 3]],
    ] as readonly (readonly [string, ...Dims[]])[]
  ) {
    checkSlopes({
      op: "Einsum",
      attributes: { equation },
      inputs: operands.map((dims) => ({ dims })),
    });
  }
});

Deno.test("Einsum has a gradient if a summed length may be 1", () => {
  checkSlopes({
    op: "Einsum",
    attributes: { equation: "...i,...j,j->...i" },
    inputs: [{ dims: [4, 3], shape: ["A", 3] }, { dims: [1, 2], shape: ["B", 2] }, { dims: [2] }],
  });
});

Deno.test("onnxruntime runs the gradients of Einsum", async () => {
  // It takes an ellipsis only over as many axes everywhere.
  const taken = PRODUCTS.filter(([equation, one, other]) =>
    !equation.includes("...") || `${one}` === `${other}`
  );
  for (const [i, [equation, ...inputs]] of taken.entries()) {
    for (const isFree of few([i % 2 === 0], [true, false])) {
      await assertOnRuntime({ op: "Einsum", attributes: { equation }, inputs }, isFree);
    }
  }
});

Deno.test("the gradient of an Einsum with a diagonal is rejected with the reason", () => {
  assertThrows(
    () =>
      checkSlopes({ op: "Einsum", attributes: { equation: "ii->i" }, inputs: [{ dims: [3, 3] }] }),
    RangeError,
    'Cannot differentiate an Einsum: each label must occur once per term (take a diagonal with other operators); got "ii->i"',
  );
});
