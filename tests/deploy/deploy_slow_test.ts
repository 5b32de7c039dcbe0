// The files of deploy/, with a real server and the real command.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseAllDocuments } from "yaml";
import { openResultStore } from "../../src/campaign/mod.ts";
import { PRIORITIES, queueNames } from "../../src/campaign/queue/names.ts";
import { openPython, pythonTest } from "../python.ts";
import { until } from "../timers.ts";

const ROOT = new URL("../../", import.meta.url);
const PASSWORD = "change me";
const NAMES = queueNames("hooke");

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

// deno-lint-ignore no-explicit-any
type Manifest = any;

async function manifests(name: string): Promise<Manifest[]> {
  return parseAllDocuments(await read(`deploy/kubernetes/${name}.yaml`)).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** Returns the address that a server has written into a folder; empty if it has not started. */
async function addressIn(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".ports")) continue;
    const ports = await Deno.readTextFile(`${folder}/${name}`);
    if (ports.trimEnd().endsWith("}")) {
      return `tls://localhost:${new URL(JSON.parse(ports).nats[0]).port}`;
    }
  }
  return "";
}

async function runHooke(args: readonly string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "src/cli/main.ts", ...args],
    cwd: ROOT,
    stdin: "null",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, text: decode(stdout) + decode(stderr) };
}

pythonTest(
  "the server and the workers of deploy/ compute a queue over TLS, with passwords",
  async () => {
    const folder = await Deno.makeTempDir();
    const { programs, run } = await openPython("nats");
    await run(["-m", "trustme", "-q", "-d", folder, "-i", "localhost"]);
    const conf = (await read("deploy/nats/single.conf"))
      .replace("0.0.0.0:4222", "127.0.0.1:-1")
      .replace("/var/lib/nats", `${folder}/disk`)
      .replace("/etc/nats/tls/tls.crt", `${folder}/server.pem`)
      .replace("/etc/nats/tls/tls.key", `${folder}/server.key`);
    await Deno.writeTextFile(`${folder}/nats.conf`, `${conf}\nports_file_dir: "${folder}"\n`);
    const passwords = await read("deploy/nats/passwords.example.conf");
    await Deno.writeTextFile(`${folder}/passwords.conf`, passwords);
    await Deno.writeTextFile(`${folder}/password`, `${PASSWORD}\n`);
    const server = new Deno.Command(`${programs}/nats-server`, {
      args: ["-c", `${folder}/nats.conf`, "-l", `${folder}/log`],
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      let url = "";
      await until(async () => (url = await addressIn(folder)) !== "");
      const structures = `${folder}/argon.xyz`;
      await Deno.writeTextFile(
        structures,
        "2\n\nAr 0 0 0\nAr 3.7 0 0\n2\n\nAr 0 0 0\nAr 3.9 0 0\n",
      );
      await Deno.writeTextFile(
        `${folder}/recipe.json`,
        `{"model":"lj:argon","stages":[{"stage":"relax"}]}`,
      );
      const secrets = [`--password-file=${folder}/password`, `--tls-ca=${folder}/client.pem`];
      const submit = ["submit", `${folder}/recipe.json`, structures, `--queue=${url}`, ...secrets];
      const submitted = await runHooke([...submit, "--user=submit"]);
      assertEquals(submitted.code, 0, submitted.text);

      // The arguments of the container, with the paths and the address of this test.
      const [{ spec: { template: { spec: { containers: [{ args }] } } } }] = await manifests(
        "workers",
      );
      const places: Readonly<Record<string, string>> = {
        "tls://nats.hooke.svc.cluster.local:4222": url,
        "/etc/hooke/password": `${folder}/password`,
        "/etc/hooke/ca.crt": `${folder}/client.pem`,
        "/results": `${folder}/results`,
      };
      const here = (args as string[]).map((arg) => {
        const [flag, value] = arg.split("=");
        return value === undefined ? arg : `${flag}=${places[value] ?? value}`;
      });
      const worked = await runHooke([...here, "--until-empty"]);
      assertEquals(worked.code, 0, worked.text);
      assert(!worked.text.includes(PASSWORD));
      assert(!/permission/i.test(worked.text), worked.text);
      await using store = await openResultStore(`${folder}/results`);
      assertEquals(
        store.all().map(({ status }) => status),
        ["done", "done"],
        worked.text,
      );

      const refused = await runHooke([...submit, "--user=work"]);
      assertEquals(refused.code, 1, refused.text);
      assertMatch(refused.text, /permission/i);
    } finally {
      server.kill("SIGKILL");
      await server.status;
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("the manifests of Kubernetes agree with each other and with the names of a queue", async () => {
  const [service, stateful, policy] = await manifests("nats");
  const [workers] = await manifests("workers");
  const [scaling] = await manifests("scaling");
  const container = workers.spec.template.spec.containers[0];
  const host = `${service.metadata.name}.${service.metadata.namespace}.svc.cluster.local`;
  assert(container.args.includes(`--queue=tls://${host}:${service.spec.ports[0].port}`));
  assertEquals(policy.spec.podSelector, stateful.spec.selector);
  assertEquals(policy.spec.ingress[0].from[0].podSelector, workers.spec.selector);
  assertEquals(scaling.spec.scaleTargetRef.name, workers.metadata.name);
  assertEquals(
    // deno-lint-ignore no-explicit-any
    scaling.spec.triggers.map(({ metadata }: any) => metadata),
    PRIORITIES.map((priority) => ({
      natsServerMonitoringEndpoint: `${host}:${service.spec.ports[1].port}`,
      account: "$G",
      stream: NAMES.items,
      consumer: NAMES.consumer(priority),
      lagThreshold: "100",
    })),
  );
  const grace = Number(/--grace=(\d+)/.exec(container.args.join(" "))![1]);
  assert(workers.spec.template.spec.terminationGracePeriodSeconds > grace);
});

Deno.test("the permissions of workers are those of docs/queue.md", async () => {
  const quoted = (text: string) =>
    [...text.matchAll(/"([^"\n]+)"/g)].map(([, name]) => name).sort();
  const [, inDocs] = /^publish: ([^]*?)```/m.exec(await read("docs/queue.md"))!;
  const [, here] = /user: "work"[^]*?permissions: \{([^]*?)\}/.exec(
    await read("deploy/nats/single.conf"),
  )!;
  assertEquals(quoted(here!), quoted(inDocs!));
});

Deno.test("the script of Slurm passes its arguments on, also with spaces", async () => {
  const folder = await Deno.makeTempDir();
  const program = `${folder}/hooke`;
  await Deno.writeTextFile(program, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  const { stdout } = await new Deno.Command(new URL("deploy/slurm/workers.sh", ROOT).pathname, {
    args: ["nats://host:4222", "my results", "--user", "work"],
    env: { HOOKE: program },
  }).output();
  await Deno.remove(folder, { recursive: true });
  const line =
    "work --queue nats://host:4222 --store|my results|--grace 100 --until-empty --user work";
  const parts = line.split("|");
  const expected = [...parts[0]!.split(" "), parts[1]!, ...parts[2]!.split(" ")];
  assertEquals(new TextDecoder().decode(stdout).trim().split("\n"), expected);
});
