/**
 * Types of the configuration of hooks.
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

/**
 * Options of a hook in a configuration. All options are optional, and their names may be in camelCase or snake_case.
 */
export type ConfigOptions<O> = Partial<O> & SnakeCased<Partial<O>>;

/** Options of a gradient monitor in a configuration, with alternative names of two options. */
export interface GradientMonitorConfig extends GradientMonitorOptions {
  /** Alternative name of `histogram`. */
  readonly logHistogram?: boolean;
  /** Alternative name of `norm`. */
  readonly logNorm?: boolean;
}

/** A hook in a list. Members that are not described here are options of the hook. */
export interface HookEntry {
  /** Name of a registered hook. If `module` is given, this is the name that the created hook gets. */
  readonly name?: string;
  /** A custom hook in a module: `"./my_hooks.ts#MyHook"`. */
  readonly module?: string;
  /**
   * False to add the hook disabled. It can be enabled later by its name.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Reaction to an error that the hook throws.
   *
   * @default the hook's own `onError`
   */
  readonly onError?: ErrorPolicy;
  /** An option of the hook. */
  readonly [option: string]: unknown;
}

/** Lists of hooks. Within a list, hooks run in the order of the list. */
export type HooksConfigLists = {
  readonly [
    /** Hooks of each list, in the order in which they run. */
    list in HookList
  ]?: readonly HookEntry[];
};

/** Members of a {@linkcode HooksConfig} in camelCase. */
export interface HooksConfigMembers {
  /** Adds the hook `logging`, which logs the run on the console. */
  readonly enableLoggingHook?: boolean;
  /** Options of the hook `logging`. */
  readonly loggingConfig?: ConfigOptions<ConsoleLogOptions>;
  /** Adds the hook `gradient_monitor`, which reports statistics of gradients. */
  readonly enableGradientMonitor?: boolean;
  /** Options of the hook `gradient_monitor`. */
  readonly gradientMonitorConfig?: ConfigOptions<GradientMonitorConfig>;
  /** Adds the hook `model_checkpoint`, which keeps checkpoints of the best models. */
  readonly enableModelCheckpointHook?: boolean;
  /** Options of the hook `model_checkpoint`. */
  readonly modelCheckpointConfig?: ConfigOptions<ModelCheckpointOptions>;
  /** Adds the hook `early_stopping`, which stops a run that no longer improves. */
  readonly enableEarlyStoppingHook?: boolean;
  /** Options of the hook `early_stopping`. */
  readonly earlyStoppingConfig?: ConfigOptions<EarlyStoppingOptions>;
  /** Adds the hook `lr_monitor`, which reports learning rates. */
  readonly enableLrMonitor?: boolean;
  /** Options of the hook `lr_monitor`. */
  readonly lrMonitorConfig?: ConfigOptions<LrMonitorOptions>;
  /**
   * Custom hooks: modules such as `"./my_hooks.ts#MyHook"`, or names in the registry. They run before the hooks of
   * switches and lists.
   */
  readonly hookClasses?: readonly string[];
  /**
   * Options of the custom hooks. The key is the whole text in `hookClasses`, or the name after `#` if only one hook
   * has that name. A class or function receives the options as one object, or no argument if there are no options.
   */
  readonly hookConfigs?: Readonly<Record<string, HookOptionsConfig>>;
  /**
   * Reaction to errors of hooks. If `true`, a hook that cannot be created is left out, and errors of hooks without an
   * `onError` policy do not stop the run. If `false`, every error stops the run, except those of entries in lists
   * that have an `onError`.
   *
   * @default undefined: each hook's own policy; a hook that cannot be created is an error
   */
  readonly continueOnHookError?: boolean;
  /**
   * True to report errors of hooks that do not stop the run.
   *
   * @default true
   */
  readonly logHookErrors?: boolean;
  /** Hooks in lists; `null` has the same effect as leaving the member out. */
  readonly hooks?: HooksConfigLists | null;
}

/** Configuration of the hooks of a run, as plain data. Each member may be written in camelCase or snake_case. */
export type HooksConfig = HooksConfigMembers & SnakeCased<HooksConfigMembers>;

type EnableMember = keyof HooksConfigMembers & `enable${string}`;
type ConfigMember = keyof HooksConfigMembers & `${string}Config`;

/**
 * A switch of a {@linkcode HooksConfig}: the member that enables a hook, the member with the options of the hook, and
 * the name of the hook.
 */
export type Switch = readonly [enable: EnableMember, config: ConfigMember, name: string];

/** All switches, in the order in which their hooks are created. */
export const SWITCHES: readonly Switch[] = [
  ["enableLoggingHook", "loggingConfig", "logging"],
  ["enableGradientMonitor", "gradientMonitorConfig", "gradient_monitor"],
  ["enableModelCheckpointHook", "modelCheckpointConfig", "model_checkpoint"],
  ["enableEarlyStoppingHook", "earlyStoppingConfig", "early_stopping"],
  ["enableLrMonitor", "lrMonitorConfig", "lr_monitor"],
];

/** Names of all lists, in the order in which their hooks are created. */
export const LISTS: readonly HookList[] = ["forward", "update", "other"];

/** Names of all members of a {@linkcode HooksConfig}, in camelCase. */
export const CONFIG_MEMBERS: readonly (keyof HooksConfigMembers)[] = [
  ...SWITCHES.flatMap(([enable, config]) => [enable, config] as const),
  "hookClasses",
  "hookConfigs",
  "continueOnHookError",
  "logHookErrors",
  "hooks",
];
