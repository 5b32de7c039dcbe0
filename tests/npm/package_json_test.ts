import { assertEquals } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";
import { packageJson } from "../../tools/npm/package_json.ts";

Deno.test("package.json names the repository if GitHub runs the build, as npm asks for provenance", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const variables = {
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "owner/hooke",
  };
  assertEquals(packageJson(config, variables)["repository"], {
    type: "git",
    url: "git+https://github.com/owner/hooke.git",
  });
  assertEquals("repository" in packageJson(config), false);
});
