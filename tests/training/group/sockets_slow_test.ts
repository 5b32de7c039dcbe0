/** Groups over real connections: TLS, a NATS server, machines that differ, are lost or want to stop. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openBoard } from "../../../src/campaign/queue/address_board.ts";
import { addressIn, type Rendezvous, textOf } from "../../../src/training/group/rendezvous.ts";
import {
  type Addends,
  GroupLostError,
  openTrainingGroup,
  type TrainingGroup,
  type TrainingGroupOptions,
} from "../../../src/training/mod.ts";
import { NatsServer } from "../../campaign/queue/nats_server.ts";
import { withFolder } from "../../checkpoint/folder.ts";
import { openPython, pythonTest } from "../../python.ts";

/** Opens groups of all machines in this process. `own` are options of one machine. */
async function groups(
  nodes: number,
  options: Partial<TrainingGroupOptions>,
  own: (rank: number) => Partial<TrainingGroupOptions> = () => ({}),
): Promise<PromiseSettledResult<TrainingGroup>[]> {
  const common = { shards: nodes, nodes, host: "localhost", timeout: 30, patience: 30, ...options };
  const ranks = Array.from({ length: nodes }, (_, rank) => rank);
  return await Promise.allSettled(
    ranks.map((rank) => openTrainingGroup({ ...common, rank, ...own(rank) })),
  );
}

function opened(results: readonly PromiseSettledResult<TrainingGroup>[]): TrainingGroup[] {
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** A contribution of 1 to a mean and to each element. */
function ones(): Addends {
  const array = new Float32Array(100_000);
  return {
    means: new Float64Array(1),
    addMeans: (means) => void means[0]!++,
    length: array.length,
    array: () => array,
    add: (from, to) => {
      for (let k = from; k < to; k++) array[k]!++;
    },
  };
}

async function assertSum(all: readonly TrainingGroup[]): Promise<void> {
  for (const own of await Promise.all(all.map(async (group) => await summed(group)))) {
    assertEquals([own.means[0], own.array().every((x) => x === all.length)], [all.length, true]);
  }
}

async function summed(group: TrainingGroup): Promise<Addends> {
  const own = ones();
  await group.sum(own);
  return own;
}

async function close(all: readonly TrainingGroup[]): Promise<void> {
  for (const group of all) await group.close();
}

Deno.test("three machines add, stop together, and lose one", async () => {
  await withFolder(async (rendezvous) => {
    const all = opened(await groups(3, { rendezvous }));
    await assertSum(all);
    assert(all.every(({ stopped }) => !stopped.aborted));
    all[1]!.stop("SIGINT");
    await assertSum(all);
    assert(all.every(({ stopped }) => stopped.aborted));
    const late = [all[0]!, all[1]!].map((group) =>
      assertRejects(() => group.sum(ones()), GroupLostError, "machine 2 has stopped: full disk")
    );
    await all[2]!.close("machine 2 has stopped: full disk");
    await Promise.all(late);
    await close(all);
  });
});

Deno.test("machines with other settings or another secret are refused", async () => {
  await withFolder(async (rendezvous) => {
    const notices: string[] = [];
    const onNotice = (text: string) => void notices.push(text);
    const [first, second] = await groups(
      2,
      { rendezvous, patience: 2 },
      (rank) => ({ settings: { lr: rank === 0 ? 0.01 : 0.02, epochs: 3 }, onNotice }),
    );
    assert(first!.status === "rejected" && second!.status === "rejected");
    assert(second!.reason instanceof RangeError);
    assertStringIncludes(
      second!.reason.message,
      "machine 1 has other settings than machine 0: lr is 0.02 and not 0.01",
    );
    assertStringIncludes(first!.reason.message, "machine 0 waits for machine 1");
    assert(notices.some((text) => text.includes("lr is 0.02 and not 0.01")));
    const secrets = ["a secret of some length", "another secret of some length"];
    const strangers = await groups(
      2,
      { rendezvous, patience: 1 },
      (rank) => ({ secret: secrets[rank]!, onNotice }),
    );
    for (const one of strangers) {
      assert(one.status === "rejected");
      assertStringIncludes(one.reason.message, "have not come within 1 s");
    }
    assert(!notices.some((text) => secrets.some((secret) => text.includes(secret))));
  });
});

pythonTest("connections are encrypted, and the certificate is checked", async () => {
  await withFolder(async (folder) => {
    const { run } = await openPython("nats");
    const authority = async (name: string) => {
      await Deno.mkdir(`${folder}/${name}`);
      await run(["-m", "trustme", "-q", "-d", `${folder}/${name}`, "-i", "localhost"]);
      const read = (file: string) => Deno.readTextFile(`${folder}/${name}/${file}`);
      return {
        authority: await read("client.pem"),
        certificate: await read("server.pem"),
        key: await read("server.key"),
      };
    };
    const [tls, other] = [await authority("one"), await authority("other")];
    const all = opened(await groups(2, { rendezvous: folder, tls }));
    await assertSum(all);
    await close(all);
    const wrong = await groups(
      2,
      { rendezvous: folder, patience: 1 },
      (rank) => ({ tls: rank === 0 ? tls : other }),
    );
    assert(wrong.every(({ status }) => status === "rejected"));
  });
});

pythonTest("machines find each other by a NATS server", async () => {
  await using server = await NatsServer.start();
  const boards = await Promise.all(
    [0, 1].map(() => openBoard("argon", { servers: server.url })),
  );
  const rendezvous = boards.map((board): Rendezvous => ({
    publish: (rank, address) => Promise.resolve(board.write(`${rank}`, textOf(address))),
    find: async (rank) => addressIn(await board.read(`${rank}`) ?? ""),
  }));
  const secret = "a secret of some length";
  const all = opened(await groups(2, { secret }, (rank) => ({ rendezvous: rendezvous[rank]! })));
  await assertSum(all);
  await close(all);
  assertEquals(await boards[0]!.read("7"), undefined);
  await assertRejects(() => openBoard("a b", { servers: server.url }), TypeError, "letters");
  for (const board of boards) await board.close();
});
