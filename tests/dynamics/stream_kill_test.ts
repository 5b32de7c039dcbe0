// One kill; many are in stream_kill_slow_test.ts.
import { killStream } from "./killed_stream_again.ts";
import { slowTest } from "../suite.ts";

slowTest(
  "killed once a stream ends with the file of one that never was, each system in it once",
  async () => {
    await killStream("xyz", 1, 1);
  },
);
