/** Frames, handshakes and sums over connections in memory. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Chain } from "../../../src/training/group/chain.ts";
import {
  encodeFrame,
  FrameReader,
  FrameType,
  HEAD_BYTES,
  MOST_BEFORE_PROOF,
} from "../../../src/training/group/frame.ts";
import { GroupLostError } from "../../../src/training/group/group_lost_error.ts";
import {
  answerHandshake,
  offerHandshake,
  type Proven,
} from "../../../src/training/group/handshake.ts";
import { Link } from "../../../src/training/group/link.ts";
import type { Addends } from "../../../src/training/mod.ts";
import { pipe } from "./pipes.ts";

const SECRET = new TextEncoder().encode("a secret of the tests");

/** Both sides of a connection whose machines know each other. The first side connects. */
async function proven(
  { rank = 0, cut }: { rank?: number; cut?: (bytes: Uint8Array) => Uint8Array } = {},
): Promise<[Proven, Proven]> {
  const [connects, listens] = pipe(cut);
  return await Promise.all([
    offerHandshake(connects, rank, { secret: SECRET, rank: rank + 1, timeout: 5000 }),
    answerHandshake(listens, { secret: SECRET, rank, timeout: 5000 }),
  ]);
}

interface Machines {
  readonly chains: readonly Chain[];
  readonly links: readonly Link[];
  readonly lost: string[];
}

/** Chains of `count` machines in this process. */
async function machines(count: number): Promise<Machines> {
  const lost: string[] = [], links: Link[] = [];
  const options = { timeout: 5000, onLost: (reason: string) => void lost.push(reason) };
  for (let rank = 0; rank < count - 1; rank++) {
    const [connects, listens] = await proven({ rank });
    links.push(new Link(listens, options), new Link(connects, options));
  }
  const chains = Array.from({ length: count }, (_, rank) =>
    new Chain({
      left: rank === 0 ? undefined : links[2 * rank - 1],
      right: rank === count - 1 ? undefined : links[2 * rank],
    }));
  return { chains, links, lost };
}

/** Contribution of the shards from `first` to below `end`, whose sum depends on the order. */
function addends(first: number, end: number, length: number): Addends {
  const array = new Float32Array(length);
  const shard = (s: number, k: number) =>
    Math.fround(Math.sin(s * 7.3 + k * 0.7) * 10 ** ((s * 5 + k) % 7));
  const own = Array.from({ length: end - first }, (_, i) => first + i);
  return {
    means: new Float64Array(2),
    addMeans: (means) => {
      for (const s of own) for (let k = 0; k < 2; k++) means[k]! += shard(s, k) * 1e-3;
    },
    length,
    array: () => array,
    add: (from, to) => {
      for (const s of own) {
        for (let k = from; k < to; k++) {
          array[k] = s === 0 ? shard(s, k) : array[k]! + shard(s, k);
        }
      }
    },
  };
}

async function sums(shards: number, count: number, length: number): Promise<string[]> {
  const { chains, links } = await machines(count);
  const each = chains.map((_, rank) =>
    addends(Math.floor(rank * shards / count), Math.floor((rank + 1) * shards / count), length)
  );
  const stops = await Promise.all(chains.map((chain, rank) => chain.sum(each[rank]!, rank === 1)));
  assertEquals(stops, stops.map(() => count > 1));
  for (const link of links) link.close();
  return each.map((own) => {
    return `${[...own.means]} ${new Uint8Array(own.array().buffer as ArrayBuffer).toHex()}`;
  });
}

Deno.test("a sum has the same bits on 1, 2, 3 and 6 machines, in several parts", async () => {
  const [wanted] = await sums(6, 1, 70_000);
  for (const count of [2, 3, 6]) {
    for (const found of await sums(6, count, 70_000)) assert(found === wanted, `${count} machines`);
  }
  assert((await sums(5, 1, 70_000))[0] !== wanted);
});

Deno.test("machine 0 shares bytes with all others, in several parts", async () => {
  const { chains, links } = await machines(3);
  const bytes = Uint8Array.from({ length: 2_500_000 }, (_, i) => i * 31);
  const all = await Promise.all(
    chains.map((chain, rank) => chain.share(rank === 0 ? bytes : undefined)),
  );
  for (const found of all) assert(found.every((byte, i) => byte === bytes[i]));
  for (const link of links) link.close();
});

Deno.test("machines in different steps, and lost ones, are an error on all sides", async () => {
  const { chains, links, lost } = await machines(2);
  const both = [chains[0]!.sum(addends(0, 1, 8), false), chains[1]!.sum(addends(1, 2, 9), false)];
  const fault = await assertRejects(() => both[1]!, Error, "different steps");
  assert(!(fault instanceof GroupLostError));
  links[1]!.close("machine 1 has failed");
  await assertRejects(() => both[0]!, GroupLostError, "machine 1 has failed");
  await assertRejects(() => chains[0]!.sum(addends(0, 1, 8), false), GroupLostError);
  assertEquals(lost, ["machine 1 has failed"]);
});

Deno.test("a silent machine counts as lost after the time-out", async () => {
  const [connects] = await proven();
  const { promise, resolve } = Promise.withResolvers<string>();
  const link = new Link(connects, { timeout: 40, onLost: resolve });
  assertEquals(await promise, "machine 0 has sent nothing for 0 s");
  await assertRejects(() => link.receive(FrameType.SUM), GroupLostError, "has sent nothing");
});

Deno.test("frames that were changed, repeated or left out are refused", async () => {
  for (
    const change of [
      (frames: Uint8Array[]) => frames[0]![HEAD_BYTES]! ^= 1,
      (frames: Uint8Array[]) => frames.splice(1, 0, frames[0]!),
      (frames: Uint8Array[]) => frames.shift(),
    ]
  ) {
    const [connects, listens] = await proven();
    const frames = [1, 2].map((n) =>
      encodeFrame(FrameType.SUM, Uint8Array.of(n), connects.seal) as Uint8Array
    );
    change(frames);
    const reads = async () => {
      for (const frame of frames) {
        await connects.socket.write(frame);
        await listens.frames.next();
      }
    };
    await assertRejects(reads, SyntaxError, "proof of its sender");
  }
});

Deno.test("strangers get no answer", async () => {
  const hello = (length: number) => encodeFrame(FrameType.HELLO, new Uint8Array(length), undefined);
  const large = hello(0);
  new DataView(large.buffer).setUint32(8, 0xffff_ffff, true);
  const attacks: Uint8Array[] = [
    new TextEncoder().encode("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
    hello(72),
    hello(3),
    large,
    hello(MOST_BEFORE_PROOF + 1),
    encodeFrame(FrameType.SUM, new Uint8Array(72), undefined),
    new Uint8Array(HEAD_BYTES - 1),
  ];
  for (const attack of attacks) {
    const [stranger, listens] = pipe();
    const answer = answerHandshake(listens, { secret: SECRET, rank: 0, timeout: 5000 });
    await stranger.write(attack);
    stranger.end();
    await assertRejects(() => answer);
    assertEquals([listens.sent.length, listens.isDestroyed], [0, true]);
  }
});

Deno.test("a machine with another secret, or for another machine, is refused", async () => {
  const other = new TextEncoder().encode("another secret of the tests");
  for (const [secret, rank] of [[other, 0], [SECRET, 1]] as const) {
    const [connects, listens] = pipe();
    const offer = offerHandshake(connects, 0, { secret, rank: 1, timeout: 5000 });
    const answer = answerHandshake(listens, { secret: SECRET, rank, timeout: 5000 });
    await assertRejects(() => answer);
    await assertRejects(() => offer, Error, "closed the connection");
    assertEquals(listens.sent.length, 0);
  }
});

Deno.test("a payload is not read before its length is checked", async () => {
  const head = encodeFrame(FrameType.HELLO, new Uint8Array(), undefined);
  new DataView(head.buffer).setUint32(8, MOST_BEFORE_PROOF + 1, true);
  const reader = new FrameReader((async function* () {
    yield await Promise.resolve(head);
    throw new Error("asked for the payload");
  })());
  await assertRejects(() => reader.next(), SyntaxError, "at most 128 bytes");
});
