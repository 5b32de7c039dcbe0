import { assert, assertEquals } from "@std/assert";
import { filesIn } from "../../src/page/feed/run_file.ts";
import { client, INFO, ShownRun } from "./shown_run.ts";

const RUN = `/api/runs/${encodeURIComponent(INFO.id)}/files`;

Deno.test("files of the run folder are downloads, and no path leads out of it", async () => {
  const base = await Deno.makeTempDir(), folder = `${base}/run`;
  try {
    await Deno.mkdir(`${folder}/logs`, { recursive: true });
    await Deno.writeTextFile(`${base}/private`, "secret");
    await Deno.mkdir(`${base}/run-2`);
    await Deno.writeTextFile(`${base}/run-2/private`, "secret");
    await Deno.writeTextFile(`${folder}/logs/größe %2f.txt`, "inside");
    await Deno.writeTextFile(`${folder}/report.html`, "<script>alert(1)</script>");
    await Deno.writeTextFile(`${folder}/.hidden`, "secret");
    await Deno.writeTextFile(`${folder}/secret`, "secret"); // of machines that train together
    await Deno.symlink(`${base}/private`, `${folder}/link`);
    await Deno.symlink(base, `${folder}/up`);
    await Deno.symlink(`${folder}/report.html`, `${folder}/within`);
    const ask = client(new ShownRun(undefined, folder));

    const file = await ask(`${RUN}/logs/${encodeURIComponent("größe %2f.txt")}`);
    assertEquals([file.status, await file.text()], [200, "inside"]);
    const report = await ask(`${RUN}/report.html`);
    assertEquals(report.headers.get("content-type"), "application/octet-stream");
    assert(report.headers.get("content-disposition")!.startsWith("attachment;"));
    assertEquals(report.headers.get("content-length"), "25");
    await report.body!.cancel();
    assertEquals((await ask(`${RUN}/within`)).status, 200);

    const attacks = [
      "../private",
      "%2e%2e/private",
      "%2e%2e%2fprivate",
      "%252e%252e/private",
      "%252e%252e%252fsecret",
      "..%5cprivate",
      "..\\private",
      "logs/../../private",
      "logs/%2e%2e/%2e%2e/private",
      "logs%2f..%2f..%2fprivate",
      "logs/%2e%2e%2f%2e%2e%2fprivate",
      "....//private",
      "/etc/passwd",
      "//etc/passwd",
      "%2fetc%2fpasswd",
      "C:/private",
      "file:///etc/passwd",
      `${base}/private`,
      "../run-2/private",
      "link",
      "up/private",
      "up/run-2/private",
      "up/run/../private",
      ".hidden",
      "secret",
      "report.html%00.txt",
      "report.html%00",
      "%c0%ae%c0%ae/private",
      "logs",
      "",
      ".",
      "no",
      "report.html/",
      "report.html/x",
    ];
    for (const path of attacks) {
      const answer = await ask(`${RUN}/${path}`);
      assert([400, 404, 405].includes(answer.status), `${path}: ${answer.status}`);
      assert(!(await answer.text()).includes("secret"), path);
    }
    const list = await filesIn(folder);
    assertEquals(list.map(({ path, bytes }) => [path, bytes]), [
      ["logs/größe %2f.txt", 6],
      ["report.html", 25],
    ]);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
