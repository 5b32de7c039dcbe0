/** The same for systems that are larger than any grid of workgroups would be by chance, and for as many systems. */
import { conformanceRows, testConformance } from "./conformance_case.ts";

testConformance(conformanceRows({ isLarge: true }));
