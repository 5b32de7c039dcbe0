/** The same for systems that are larger than any grid of workgroups would be by chance, and for as many systems. */
import { conformanceRows, testConformance } from "./conformance_case.ts";

// The reference backend, by which the kernels are defined, would be compared with itself; only a GPU has grids, and
// only threads divide long arrays.
testConformance(
  conformanceRows({ isLarge: true }).filter(({ backend, name }) =>
    backend === "webgpu" || backend !== "reference" && !name.includes("systems")
  ),
);
