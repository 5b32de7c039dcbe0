/** The same for systems that are larger than any grid of workgroups would be by chance, and for as many systems. */
import { testConformance } from "./conformance_case.ts";

testConformance({ isLarge: true });
