// Queues and campaigns on disks that are full, and on a network file system that goes away.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lacks } from "../../machine.ts";
import { openPython } from "../../python.ts";
import { type CampaignFiles, recordsAlone, recordsIn, writeCampaign } from "./campaign_files.ts";
import { HOOKE, Sandbox } from "./sandbox.ts";
import { until } from "./until.ts";

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

const URL = "--queue nats://127.0.0.1:4222";

/** Makes a network with a server, whose disk is `at("disk")`. Returns the command that starts it. */
async function startServer(box: Sandbox, { at }: CampaignFiles): Promise<string> {
  const server = `${(await openPython("nats")).programs}/nats-server`;
  const config = `jetstream { store_dir: "${at("disk")}", sync_interval: always, max_file: 1GB }`;
  await Deno.writeTextFile(at("nats.conf"), `listen: "127.0.0.1:4222"\n${config}\n`);
  await box.succeed("ip link set lo up");
  const start = `${server} -c ${at("nats.conf")} >>${at("server.log")} 2>&1 & server=$!`;
  await box.succeed(start);
  return start;
}

Deno.test({
  name: "a worker with a full disk ends with advice, and its structures go to others",
  ignore: lacks("networks") || lacks("disks") || lacks("python"),
  async fn() {
    await using files = await writeCampaign(60, { cells: 2 });
    const { at, recipe, structures } = files;
    const expected = await recordsAlone(files);
    await using box = new Sandbox("-n");
    await startServer(box, files);
    // A lease of an hour: only what the worker gives back comes to another one in time.
    const submit = `${HOOKE} submit ${recipe} ${structures} ${URL} --lease 3600`;
    await until("a server", async () => (await box.run(submit)).code === 0);
    await box.succeed(`mkdir ${at("full")} ${at("results")}`);
    await box.succeed(`mount -t tmpfs -o size=100k none ${at("full")}`);
    const work = `${HOOKE} work ${URL} --until-empty --quiet --store`;
    const { code, text } = await box.run(`${work} ${at("full")}`);
    assertEquals(code, 1, text);
    assertStringIncludes(text, "no space left on the disk");
    assertStringIncludes(text, "Free space, or pass another folder as --store");
    await box.succeed(`cp -r ${at("full")}/. ${at("results")}`);
    const first = await recordsIn(at("results"));
    assert(first.lines > 0 && first.lines < 60, `${first.lines} results fit`);
    await box.succeed(`${work} ${at("results")}`);
    assertEquals((await recordsIn(at("results"))).records, expected);
  },
});

Deno.test({
  name:
    "a server with a full disk makes a submission wait with advice, and takes the rest after a new start",
  ignore: lacks("networks") || lacks("disks") || lacks("python"),
  async fn() {
    await using files = await writeCampaign(300, { cells: 2 });
    const { at, recipe, structures } = files;
    const expected = await recordsAlone(files);
    await using box = new Sandbox("-n");
    await box.succeed(`mkdir ${at("disk")} && mount -t tmpfs -o size=400k none ${at("disk")}`);
    const start = await startServer(box, files);
    const send = `${recipe} ${structures} ${URL} --store ${at("results")}`;
    const said = () => Deno.readTextFile(at("submit.log"));
    const submit = `${HOOKE} submit ${send} >${at("submit.log")} 2>&1`;
    await until("a server", async () => {
      await box.succeed(`${submit} & submitting=$!`);
      await until("an answer", async () => /connect|Waiting/.test(await said()));
      return !(await said()).includes("connect");
    });
    assertStringIncludes(await said(), "often its disk is full");
    // More room, and a new start: the server does not write again before.
    await box.succeed(`mount -o remount,size=100m ${at("disk")}`);
    await box.succeed("kill -9 $server; wait $server || true");
    await box.succeed(start);
    const { code } = await box.run("wait $submitting");
    assertEquals(code, 0, await said());
    await box.succeed(`${HOOKE} work ${URL} --until-empty --quiet --store ${at("results")}`);
    assertEquals((await recordsIn(at("results"))).records, expected);
  },
});

Deno.test({
  name: "processes share a campaign on a mounted file system, and survive that it goes away",
  ignore: lacks("fuse"),
  async fn() {
    await using files = await writeCampaign(12, { holds: true });
    const { at, recipe, structures } = files;
    const expected = await recordsAlone(files);
    await using box = new Sandbox();
    // Opened files are not cached, as on a network file system.
    const mount = `bindfs -f -o direct_io,attr_timeout=0,entry_timeout=0 ${at("disk")} ${
      at("net")
    }`;
    const isMounted = `mountpoint -q ${at("net")}`;
    const connect = async () => {
      await box.succeed(`${mount} >>${at("mount.log")} 2>&1 & daemon=$!`);
      await until("a mount", async () => (await box.run(isMounted)).code === 0);
    };
    await box.succeed(`mkdir ${at("disk")} ${at("net")}`);
    await connect();
    const folder = at("net/argon");
    await box.succeed(`${HOOKE} submit ${recipe} ${structures} -o ${folder}`);
    const work = `${HOOKE} work ${folder} --allow-modules any`;
    // One process waits in the middle of a structure while two others compute everything at the same time.
    await box.succeed(`HOLD=${at("a")} ${work} >${at("a.log")} 2>&1 & waiting=$!`);
    await until("a structure", () => exists(at("a.begun")));
    await box.succeed(`${work} --task 0 --tasks 2 >${at("b.log")} 2>&1 & second=$!`);
    await box.succeed(`${work} --task 1 --tasks 2`);
    await box.succeed("wait $second");
    const status = JSON.parse(await box.succeed(`${HOOKE} status ${folder} --json`));
    assertEquals([status.done, status.missing, status.faults], [12, 0, 0]);
    // The file system goes away before the first process stores what it has.
    await box.succeed("kill -9 $daemon; wait $daemon || true");
    await Deno.writeTextFile(at("a.go"), "");
    const { code } = await box.run("wait $waiting");
    const said = await Deno.readTextFile(at("a.log"));
    assertEquals(code, 1, said);
    assertStringIncludes(said, "its file system is not mounted any more");
    await box.succeed(`umount -l ${at("net")}`);
    await connect();
    await box.succeed(`${HOOKE} status ${folder}`);
    assertEquals((await recordsIn(at("disk/argon"))).records, expected);
  },
});
