import { assert, assertEquals } from "@std/assert";
import { OPERATORS } from "../../../src/onnx/evaluate/operators.ts";
import { faultOf } from "./node_case_fault.ts";
import { nodeCases } from "./node_cases.ts";
import { LEFT_OUT } from "./node_cases_left_out.ts";
import { pythonTest } from "../../python.ts";

pythonTest(
  "the evaluator passes the node tests of the Python package onnx, but for those listed",
  async () => {
    const cases = await nodeCases(Object.keys(OPERATORS));
    const leftOut = Object.values(LEFT_OUT).flatMap((names) =>
      names.trim().split(/\s+/).map((name) => `test_${name}`)
    );
    const unexpected: string[] = [], passing: string[] = [];
    for (const each of cases) {
      const fault = faultOf(each), isListed = leftOut.includes(each.name);
      if (fault !== undefined && !isListed) unexpected.push(`${each.name}: ${fault}`);
      if (fault === undefined && isListed) passing.push(each.name);
    }
    const ran = cases.length - leftOut.length;
    console.log(`${ran} node tests of onnx ran, ${leftOut.length} are left out`);
    assertEquals(unexpected, [], "these fail");
    assertEquals(passing, [], "these are listed as left out, and pass");
    const names = new Set(cases.map(({ name }) => name));
    assertEquals(
      leftOut.filter((name) => !names.has(name)),
      [],
      "these are listed, and there are none",
    );
    assertEquals(leftOut.length, new Set(leftOut).size, "each is listed once");
    assert(ran >= LEAST, `${ran} is fewer than the ${LEAST} that there were`);
  },
);

/** So that cases that are no longer found do not go unnoticed. */
const LEAST = 890;
