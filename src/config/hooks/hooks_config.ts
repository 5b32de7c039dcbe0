/**
 * The forms of a configuration of hooks.
 *
 * @module
 */

import type {
  ConsoleLogOptions,
  EarlyStoppingOptions,
  GradientMonitorOptions,
  LrMonitorOptions,
  ModelCheckpointOptions,
} from "../../observe/mod.ts";
import type { ErrorPolicy } from "../../hooks/protocol/outcome.ts";
import type { HookList } from "./hook_schema.ts";
import type { SnakeCased } from "../letter_case.ts";

/** Options of a hook, in camelCase or snake_case. */
export type HookOptionsConfig = Readonly<Record<string, unknown>>;

/** The options of a hook as a configuration writes them: all may be left out, in camelCase or in snake_case. */
export type ConfigOptions<O> = Partial<O> & SnakeCased<Partial<O>>;

/** Options of a gradient monitor, with the names that they have in other systems. */
export interface GradientMonitorConfig extends GradientMonitorOptions {
  /** The same as `histogram`. */
  readonly logHistogram?: boolean;
  /** The same as `norm`. */
  readonly logNorm?: boolean;
}

/** A hook in a list; all other members are its options. */
export interface HookEntry {
  /** The hook, by its name; beside `module`, what it is called. */
  readonly name?: string;
  /** A hook of one's own: `"./my_hooks.ts#MyHook"`. */
  readonly module?: string;
  /**
   * Whether it runs; one that does not can be switched on by its name.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * What happens when it throws.
   *
   * @default what the hook says
   */
  readonly onError?: ErrorPolicy;
  /** An option of the hook. */
  readonly [option: string]: unknown;
}

/** Hooks in lists; each runs in the order in which it stands there. */
export type HookLists = {
  readonly [
    /** By what they do. */
    list in HookList
  ]?: readonly HookEntry[];
};

/** The members of a {@linkcode HooksConfig}, in camelCase. */
export interface HooksConfigMembers {
  /** Whether the run is told of on the console. */
  readonly enableLoggingHook?: boolean;
  /** Options of that. */
  readonly loggingConfig?: ConfigOptions<ConsoleLogOptions>;
  /** Whether gradients are measured. */
  readonly enableGradientMonitor?: boolean;
  /** Options of that. */
  readonly gradientMonitorConfig?: ConfigOptions<GradientMonitorConfig>;
  /** Whether the best checkpoints are kept. */
  readonly enableModelCheckpointHook?: boolean;
  /** Options of that. */
  readonly modelCheckpointConfig?: ConfigOptions<ModelCheckpointOptions>;
  /** Whether a run stops that no longer improves. */
  readonly enableEarlyStoppingHook?: boolean;
  /** Options of that. */
  readonly earlyStoppingConfig?: ConfigOptions<EarlyStoppingOptions>;
  /** Whether learning rates are told. */
  readonly enableLrMonitor?: boolean;
  /** Options of that. */
  readonly lrMonitorConfig?: ConfigOptions<LrMonitorOptions>;
  /** Hooks of one's own: modules, `"./my_hooks.ts#MyHook"`, or names in the registry. They run before all others. */
  readonly hookClasses?: readonly string[];
  /**
   * Their options, by the whole text in `hookClasses`, or by the bare name where no two have the same. A class, or a
   * function, is handed them as one object, and nothing where there are none.
   */
  readonly hookConfigs?: Readonly<Record<string, HookOptionsConfig>>;
  /**
   * `true`: hooks that do not say otherwise are left out when they cannot be made, and do not stop the run when they
   * throw. `false`: every error of theirs stops it.
   *
   * @default what each hook says; what cannot be made is an error
   */
  readonly continueOnHookError?: boolean;
  /**
   * Whether errors that do not stop the run are told.
   *
   * @default true
   */
  readonly logHookErrors?: boolean;
  /** Hooks in lists. `null`: none. */
  readonly hooks?: HookLists | null;
}

/** Which hooks there are, with their options: plain data. Each member may be written in camelCase or in snake_case. */
export type HooksConfig = HooksConfigMembers & SnakeCased<HooksConfigMembers>;

type EnableMember = keyof HooksConfigMembers & `enable${string}`;
type ConfigMember = keyof HooksConfigMembers & `${string}Config`;

/** A switch of a {@linkcode HooksConfig}, the member with its options, and the hook that it stands for. */
export type Switch = readonly [enable: EnableMember, config: ConfigMember, name: string];

/** All of them, in the order in which their hooks are made. */
export const SWITCHES: readonly Switch[] = [
  ["enableLoggingHook", "loggingConfig", "logging"],
  ["enableGradientMonitor", "gradientMonitorConfig", "gradient_monitor"],
  ["enableModelCheckpointHook", "modelCheckpointConfig", "model_checkpoint"],
  ["enableEarlyStoppingHook", "earlyStoppingConfig", "early_stopping"],
  ["enableLrMonitor", "lrMonitorConfig", "lr_monitor"],
];

/** The lists, in the order in which their hooks are made. */
export const LISTS: readonly HookList[] = ["forward", "update", "other"];

/** All members, in camelCase. */
export const CONFIG_MEMBERS: readonly (keyof HooksConfigMembers)[] = [
  ...SWITCHES.flatMap(([enable, config]) => [enable, config] as const),
  "hookClasses",
  "hookConfigs",
  "continueOnHookError",
  "logHookErrors",
  "hooks",
];
