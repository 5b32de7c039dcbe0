// A page that runs molecular dynamics over the kernels of the package.
export { Batch } from "@hooke/hooke/batch";
export { NVE } from "@hooke/hooke/dynamics/nve";
export { lennardJones } from "@hooke/hooke/models/pair";
