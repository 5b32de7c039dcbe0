// Frames of a run: their float32 values are searched for signs of zeros once per moment.
import { assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { withHeld } from "../../src/batch/fields/holder.ts";
import { RunFrame } from "../../src/batch/resident/run_frame.ts";

Deno.test("a frame searches float32 values once per moment, and reads them again in the next", () => {
  const batch = Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]);
  const searched = { rounded: 0, single: 0 }, values = new Float32Array(3);
  let hasDigits = true;
  const held = withHeld({ positions: batch.get("positions") }, {
    current: () => batch.get("positions"),
    rounded: () => (searched.rounded++, values),
    single: () => (searched.single++, hasDigits ? undefined : values),
  });
  const frame = new RunFrame();
  const read = () => {
    frame.at(batch, held, 0, [0]);
    const [single] = [frame.single("positions"), frame.rounded("positions")];
    assertEquals(frame.rounded("positions") === values, true);
    return single === values;
  };
  assertEquals([read(), searched], [false, { rounded: 1, single: 1 }]);
  hasDigits = false; // then the values that have no other digits have no other signs either
  assertEquals([read(), searched], [true, { rounded: 1, single: 2 }]);
  hasDigits = true;
  assertEquals([read(), searched], [false, { rounded: 2, single: 3 }]);
});
