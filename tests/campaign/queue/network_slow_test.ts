// Workers that lose the server, or their lease, in the middle of a structure.
import { assertEquals } from "@std/assert";
import { lacks } from "../../machine.ts";
import { openPython } from "../../python.ts";
import { recordsAlone, recordsIn, writeCampaign } from "./campaign_files.ts";
import { HOOKE, Sandbox } from "./sandbox.ts";
import { until } from "./until.ts";

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

/** Ends of a cable between the network of the server and that of a worker. */
const SERVER = "10.9.8.1", URL = `--queue nats://${SERVER}:4222`;

Deno.test({
  name: "a cut network and a stopped worker cost time, and no result is lost or differs",
  ignore: lacks("networks") || lacks("python"),
  async fn() {
    await using files = await writeCampaign(4, { holds: true });
    const { at, recipe, structures } = files;
    const expected = await recordsAlone(files);
    await using box = new Sandbox("-n");
    await box.succeed("ip link set lo up");
    await box.succeed("unshare -n sleep 3600 & remote=$!");
    // The process is in the network of the shell until it has made its own.
    const isApart = '[ "$(readlink /proc/$remote/ns/net)" != "$(readlink /proc/self/ns/net)" ]';
    await until("a second network", async () => (await box.run(isApart)).code === 0);
    await box.succeed("ip link add cable type veth peer name far netns $remote");
    await box.succeed(`ip addr add ${SERVER}/24 dev cable && ip link set cable up`);
    const remote = "nsenter -n -t $remote";
    await box.succeed(`${remote} ip addr add 10.9.8.2/24 dev far && ${remote} ip link set far up`);
    const server = `${(await openPython("nats")).programs}/nats-server`;
    await box.succeed(`${server} -a ${SERVER} -js -sd ${at("disk")} >${at("server.log")} 2>&1 &`);
    const submit = `${HOOKE} submit ${recipe} ${structures} ${URL} --lease 2`;
    await until("a server", async () => (await box.run(submit)).code === 0);
    const work = (more: string) =>
      `${HOOKE} work ${URL} --store ${at("results")} --allow-modules any ${more}`;
    const start = async (name: string, where: string) => {
      await box.succeed(
        `HOLD=${at(name)} ${where} ${work("--batch 1")} >${at(name)}.log 2>&1 & ${name}=$!`,
      );
      await until(`a structure in ${name}`, () => exists(at(`${name}.begun`)));
    };
    await start("cut", remote);
    await start("stopped", "");
    // One worker loses the server in the middle of a structure, and the other one stops for longer than its lease.
    await box.succeed("ip link set cable down && ip addr show cable");
    await box.succeed("kill -STOP $stopped");
    await box.succeed(`ip addr add ${SERVER}/24 dev lo || true`);
    const other = await box.succeed(work("--until-empty"));
    assertEquals(other.trim().split("\n").at(-1), "4 done", other);
    // Both come back, and finish what others have computed meanwhile.
    await box.succeed("kill -CONT $stopped");
    await box.succeed(`ip addr del ${SERVER}/24 dev lo && ip link set cable up`);
    for (const name of ["cut", "stopped"]) await Deno.writeTextFile(at(`${name}.go`), "");
    await until("both results again", async () => (await recordsIn(at("results"))).lines === 6);
    for (const name of ["cut", "stopped"]) {
      const { code } = await box.run(`kill $${name}; wait $${name}`);
      assertEquals(code, 0, await Deno.readTextFile(at(`${name}.log`)));
    }
    assertEquals((await recordsIn(at("results"))).records, expected);
    const status = JSON.parse(await box.succeed(`${HOOKE} queue status ${URL} --json`));
    assertEquals([status.waiting.normal, status.running, status.aside], [0, 0, 0]);
  },
});
