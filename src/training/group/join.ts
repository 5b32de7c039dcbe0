/**
 * Forms the chain of machines that train together.
 *
 * @module
 */

import { canonicalJson } from "../../base/canonical_json.ts";
import { reasonOf } from "../../base/show.ts";
import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { type ByteSocket, connectTo, listenOn, type SocketServer } from "../../platform/sockets.ts";
import type { ChainLinks } from "./chain.ts";
import { FrameType, MOST_PAYLOAD } from "./frame.ts";
import { GroupLostError } from "./group_lost_error.ts";
import type { GroupPlan } from "./group_options.ts";
import { answerHandshake, offerHandshake, type Proven } from "./handshake.ts";
import { Link } from "./link.ts";

/** Milliseconds for a connection, and for a handshake. */
const CONNECTING = 5_000;
/** Milliseconds between two attempts. */
const PAUSE = 200;
/** Connections at a time that have not proved yet that they know the secret. */
const MOST_STRANGERS = 16;

/** The links of a machine in a complete chain. */
export interface Joined {
  readonly links: ChainLinks;
  /** Closes the links, and stops listening. */
  close(reason?: string): Promise<void>;
}

/** Forms the chain. If a machine is lost meanwhile, forms it again. */
export async function joinChain(
  plan: GroupPlan,
  onLost: (reason: string) => void,
): Promise<Joined> {
  const { rank, nodes, patience, signal } = plan;
  const deadline = performance.now() + patience;
  signal?.throwIfAborted();
  plan.notice(`Machine ${rank} of ${nodes} waits for the others`);
  for (let last = "";;) {
    const attempt = new Attempt(plan, onLost);
    const giveUp = (reason: unknown) => void attempt.fail(reason);
    const interrupt = () => giveUp(signal!.reason);
    signal?.addEventListener("abort", interrupt, { once: true });
    const late = setTimeout(
      () =>
        giveUp(
          new Error(
            `Cannot train on many machines: the others of the ${nodes} machines have not come within ${
              Math.round(patience / 1000)
            } s; machine ${rank} waits for ${attempt.missing()}`,
          ),
        ),
      Math.max(0, deadline - performance.now()),
    );
    try {
      await attempt.join();
      plan.notice(`All ${nodes} machines are there`);
      return attempt;
    } catch (error) {
      await attempt.close(reasonOf(error));
      if (!(error instanceof GroupLostError)) throw error;
      if (error.reason !== last) plan.notice(`Machine ${rank} waits again: ${error.reason}`);
      last = error.reason;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", interrupt);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** One attempt to form the chain. */
class Attempt implements Joined {
  readonly #plan: GroupPlan;
  readonly #onLost: (reason: string) => void;
  readonly #failed = Promise.withResolvers<never>();
  readonly #right = Promise.withResolvers<Link>();
  readonly #strangers = new Set<ByteSocket>();
  #server: SocketServer | undefined;
  #leftLink: Link | undefined;
  #rightLink: Link | undefined;
  #isJoined = false;
  #isOver = false;

  constructor(plan: GroupPlan, onLost: (reason: string) => void) {
    this.#plan = plan;
    this.#onLost = onLost;
    this.#failed.promise.catch(() => {}); // thrown where it is awaited
  }

  get links(): ChainLinks {
    return { left: this.#leftLink, right: this.#rightLink };
  }

  /** Returns the machines to which there is no connection yet. */
  missing(): string {
    const { rank, nodes } = this.#plan;
    const ranks = [
      ...this.#leftLink === undefined && rank > 0 ? [rank - 1] : [],
      ...this.#rightLink === undefined && rank < nodes - 1 ? [rank + 1] : [],
    ];
    return ranks.length === 0 ? "machines beyond its neighbors" : `machine ${ranks.join(" and ")}`;
  }

  /** Ends the attempt with an error. */
  fail(error: unknown): void {
    this.#failed.reject(error);
  }

  async join(): Promise<void> {
    await Promise.race([this.#failed.promise, this.#join()]);
    this.#isJoined = true;
  }

  close(reason?: string): Promise<void> {
    this.#isOver = true;
    this.#server?.close();
    for (const socket of this.#strangers) socket.destroy();
    this.#leftLink?.close(reason);
    this.#rightLink?.close(reason);
    return Promise.resolve();
  }

  async #join(): Promise<void> {
    const { rank, nodes } = this.#plan;
    if (rank < nodes - 1) await this.#listen();
    const [left, right] = await Promise.all([
      rank > 0 ? this.#connect() : undefined,
      rank < nodes - 1 ? this.#right.promise : undefined,
    ]);
    await this.#agree(left, right);
  }

  async #listen(): Promise<void> {
    const { host, port, tls, rank, rendezvous } = this.#plan;
    const place = { host: host ?? "0.0.0.0", port, tls };
    let server: SocketServer;
    try {
      server = await listenOn(place, (socket) => void this.#accept(socket));
    } catch (error) {
      throw new Error(`Cannot listen on ${place.host}:${port}: ${reasonOf(error)}`, {
        cause: error,
      });
    }
    if (this.#isOver) return server.close();
    this.#server = server;
    const hosts = host === undefined ? ownHosts() : [host];
    await rendezvous!.publish(rank, { hosts, port: server.port });
  }

  /** Answers a connection. One that does not know the secret gets no answer, and is closed. */
  async #accept(socket: ByteSocket): Promise<void> {
    const { secret, rank } = this.#plan;
    if (this.#strangers.size >= MOST_STRANGERS) {
      for (const oldest of this.#strangers) {
        oldest.destroy();
        break;
      }
    }
    this.#strangers.add(socket);
    let proven: Proven;
    try {
      proven = await answerHandshake(socket, { secret, rank, timeout: CONNECTING });
    } catch {
      return; // not one of the group
    } finally {
      this.#strangers.delete(socket);
    }
    if (proven.peer !== rank + 1 || this.#isOver) return socket.destroy();
    if (this.#rightLink !== undefined) {
      // The machine has lost its connection, or was started again.
      socket.destroy();
      return this.#lose(`machine ${proven.peer} has come again`);
    }
    this.#right.resolve(this.#rightLink = this.#link(proven));
  }

  async #connect(): Promise<Link> {
    const { secret, rank, rendezvous, tls } = this.#plan;
    while (!this.#isOver) {
      const address = await rendezvous!.find(rank - 1);
      for (const host of address?.hosts ?? []) {
        try {
          const socket = await connectTo({ host, port: address!.port, timeout: CONNECTING, tls });
          const parts = { secret, rank, timeout: CONNECTING };
          const proven = await offerHandshake(socket, rank - 1, parts);
          if (this.#isOver) socket.destroy();
          else return this.#leftLink = this.#link(proven);
        } catch {
          // The address is old, or the machine does not listen yet.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    throw new GroupLostError("the attempt is over");
  }

  #link(proven: Proven): Link {
    return new Link(proven, {
      timeout: this.#plan.timeout,
      onLost: (reason) => this.#lose(reason),
    });
  }

  #lose(reason: string): void {
    if (this.#isJoined) this.#onLost(reason);
    else this.fail(new GroupLostError(reason));
  }

  /** Checks that all machines have the same settings. */
  async #agree(left: Link | undefined, right: Link | undefined): Promise<void> {
    const { shards, nodes, settings } = this.#plan, own = { ...settings, shards, nodes };
    let payload = new TextEncoder().encode(canonicalJson(own));
    if (payload.length > MOST_PAYLOAD) {
      throw new RangeError(
        `Cannot open a training group: settings must have at most ${MOST_PAYLOAD} bytes; got ${payload.length}`,
      );
    }
    if (left !== undefined) {
      payload = await left.receive(FrameType.PLAN);
      checkSame(JSON.parse(new TextDecoder().decode(payload)), own, this.#plan.rank);
    }
    await right?.send(FrameType.PLAN, payload);
    await right?.receive(FrameType.AGREED);
    await left?.send(FrameType.AGREED, new Uint8Array());
  }
}

/** Throws a RangeError that names the settings in which a machine differs from machine 0. */
function checkSame(
  theirs: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
  rank: number,
): void {
  const text = (value: unknown) => value === undefined ? "not given" : canonicalJson(value);
  const names = [...new Set([...Object.keys(own), ...Object.keys(theirs)])];
  const different = names.filter((name) => text(own[name]) !== text(theirs[name]));
  if (different.length === 0) return;
  const words = different.map((name) =>
    `${name} is ${short(text(own[name]))} and not ${short(text(theirs[name]))}`
  );
  throw new RangeError(
    `Cannot train on many machines: machine ${rank} has other settings than machine 0: ${
      words.join("; ")
    }`,
  );
}

/** Longest text of a setting in a message. */
const SHOWN = 60;

function short(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Returns the names and addresses of this machine that other machines may reach. */
function ownHosts(): string[] {
  const os = builtin("node:os");
  const addresses = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
  const reached = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
  const hosts = [findHost()!.hostname(), ...reached.map(({ address }) => address)];
  return [...new Set(hosts)].slice(0, 16);
}
