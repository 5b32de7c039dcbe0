// The page as `deno task page` builds it. The repository does not have it.
import { buildPage } from "../../tools/page/build.ts";
import { openAsset } from "../../src/page/assets.ts";

/** Builds the page, unless it was built before. */
export async function needPage(): Promise<void> {
  try {
    await openAsset("page.html");
  } catch {
    await buildPage();
  }
}
