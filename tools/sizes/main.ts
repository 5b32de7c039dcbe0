/**
 * Prints the sizes of bundles for web pages beside their budgets, or which modules fill a bundle.
 *
 * Run: `deno task sizes [hook|hooks|atoms|viewer]`
 *
 * @module
 */

import { PAGE_BUDGET, pageSizes } from "../page/size.ts";
import { BUDGETS, bundleSize } from "./bundle_size.ts";
import { bundleProfile } from "./profile.ts";

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);

if (import.meta.main) {
  const [page] = Deno.args;
  if (page !== undefined) {
    for (const [module, zipped] of await bundleProfile(page)) {
      console.log(`${kilobytes(zipped)} ${module}`);
    }
    Deno.exit(0);
  }
  let isOver = false;
  for (const { name, ...budget } of BUDGETS) {
    const size = await bundleSize(name);
    for (const part of ["start", "whole"] as const) {
      isOver ||= size[part] > budget[part];
      console.log(`${name} ${part}:${kilobytes(size[part])} gz of${kilobytes(budget[part])}`);
    }
  }
  const served = (await pageSizes()).reduce((sum, [, bytes]) => sum + bytes, 0);
  isOver ||= served > PAGE_BUDGET;
  console.log(`page of hooke serve:${kilobytes(served)} gz of${kilobytes(PAGE_BUDGET)}`);
  Deno.exit(isOver ? 1 : 0);
}
