import { assertEquals, assertThrows } from "@std/assert";
import { outputOf, tensor, whole } from "./one_node.ts";

/** Eight channels of one place, each number its own channel. */
const CHANNELS = tensor([1, 8, 1, 1], [0, 1, 2, 3, 4, 5, 6, 7]);

Deno.test("DepthToSpace distributes channels over blocks in both modes", () => {
  const spread = (mode: string) =>
    outputOf("DepthToSpace", [CHANNELS], { attributes: { blocksize: 2, mode } });
  assertEquals(spread("DCR"), tensor([1, 2, 2, 2], [0, 2, 4, 6, 1, 3, 5, 7]));
  assertEquals(spread("CRD"), tensor([1, 2, 2, 2], [0, 1, 2, 3, 4, 5, 6, 7]));
  const wrong = () => outputOf("DepthToSpace", [CHANNELS], { attributes: { blocksize: 3 } });
  assertThrows(wrong, RangeError, "its number of channels must be divisible by 9; got 8");
});

Deno.test("SpaceToDepth reverses DepthToSpace", () => {
  const image = tensor([2, 2, 2, 4], Array.from({ length: 32 }, (_, i) => i)),
    attributes = { blocksize: 2 };
  const deep = outputOf("SpaceToDepth", [image], { attributes });
  assertEquals(deep.dims, [2, 8, 1, 2]);
  assertEquals([...deep.data.subarray(0, 8)], [0, 2, 8, 10, 1, 3, 9, 11]);
  assertEquals(outputOf("DepthToSpace", [deep], { attributes }), image);
});

Deno.test("ReverseSequence reverses the first elements of each sequence", () => {
  const x = tensor([3, 2], [0, 1, 2, 3, 4, 5]), lengths = whole([2], [2, 3]);
  assertEquals(outputOf("ReverseSequence", [x, lengths]), tensor([3, 2], [2, 5, 0, 3, 4, 1]));
  const rows = outputOf("ReverseSequence", [tensor([2, 3], [0, 1, 2, 3, 4, 5]), lengths], {
    attributes: { time_axis: 1, batch_axis: 0 },
  });
  assertEquals(rows, tensor([2, 3], [1, 0, 2, 5, 4, 3]));
});
