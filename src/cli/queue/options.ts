/**
 * Options that the commands of queues share.
 *
 * @module
 */

import { PRIORITIES } from "../../campaign/queue/names.ts";
import { choice, count, files, flag, number, type OptionsOf, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import type { ConnectionSettings, ItemSettings } from "./settings.ts";

/** Options of {@linkcode ConnectionSettings}. */
export const CONNECTION_OPTIONS: OptionsOf<ConnectionSettings> = {
  queue: text({
    value: "URL",
    also: ["server", "servers"],
    help: "NATS servers, such as nats://10.0.0.5:4222 or tls://HOST:4222; commas between several",
    otherwise: "required",
    initial: undefined,
  }),
  queueName: text({ value: "NAME", help: "Name of the queue on the servers", initial: "hooke" }),
  creds: text({
    value: "FILE",
    also: ["credentials"],
    help: "File of credentials, as nsc writes it",
    initial: undefined,
  }),
  user: text({ value: "NAME", help: "User", initial: undefined }),
  passwordFile: text({
    value: "FILE",
    help: "File with the user's password in its first line",
    initial: undefined,
  }),
  tokenFile: text({
    value: "FILE",
    help: "File with a token in its first line",
    initial: undefined,
  }),
  tlsCa: text({
    value: "FILE",
    help: "Certificates of authorities that sign the server's (PEM)",
    initial: undefined,
  }),
  tlsCert: text({ value: "FILE", help: "The client's certificate (PEM)", initial: undefined }),
  tlsKey: text({ value: "FILE", help: "The client's key (PEM)", initial: undefined }),
  replicas: count({
    help: "Servers of a cluster that store each message (1, 3 or 5); for a new queue",
    initial: 1,
    least: 1,
  }),
  lease: number({
    help: "Seconds after which a silent worker's items go to another; for a new queue",
    initial: 60,
  }),
};

/** Options of {@linkcode ItemSettings}. */
export const ITEM_OPTIONS: OptionsOf<ItemSettings> = {
  files: files({
    value: "RECIPE STRUCTURES…",
    help: "Recipe (.json, .yaml or .toml), then folders or files of structures",
  }),
  seed: count({ help: "Seed of velocities and random forces", initial: 0, least: 0 }),
  priority: choice(PRIORITIES, {
    help: "Workers take high before normal before low",
    initial: "normal",
  }),
  store: text({
    value: "FOLDER",
    help: "Folder of results: structures that have one are left out",
    initial: undefined,
  }),
  json: flag({ help: "Print JSON instead of text" }),
  quiet: flag({ letter: "q", help: "Show no progress" }),
  ...FORMAT_OPTIONS,
};
