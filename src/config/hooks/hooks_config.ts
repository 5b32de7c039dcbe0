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

/** Options of a hook in a configuration: all are optional, in camelCase or snake_case. */
export type ConfigOptions<O> = Partial<O> & SnakeCased<Partial<O>>;

/** Options of a gradient monitor, with alternative names of other systems. */
export interface GradientMonitorConfig extends GradientMonitorOptions {
  /** Alternative name of `histogram`. */
  readonly logHistogram?: boolean;
  /** Alternative name of `norm`. */
  readonly logNorm?: boolean;
}

/** A hook in a list. All other members are its options. */
export interface HookEntry {
  /** Name of a registered hook. With `module`, the name that the hook is given. */
  readonly name?: string;
  /** A custom hook in a module: `"./my_hooks.ts#MyHook"`. */
  readonly module?: string;
  /**
   * Enables the hook. A disabled hook can be enabled later by its name.
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

/** Hooks in lists. The hooks of a list run in its order. */
export type HooksConfigLists = {
  readonly [
    /** Lists by purpose. */
    list in HookList
  ]?: readonly HookEntry[];
};

/** Members of a {@linkcode HooksConfig} in camelCase. */
export interface HooksConfigMembers {
  /** Logs the run on the console. */
  readonly enableLoggingHook?: boolean;
  /** Options of the console log. */
  readonly loggingConfig?: ConfigOptions<ConsoleLogOptions>;
  /** Measures gradients. */
  readonly enableGradientMonitor?: boolean;
  /** Options of the gradient monitor. */
  readonly gradientMonitorConfig?: ConfigOptions<GradientMonitorConfig>;
  /** Keeps the best checkpoints. */
  readonly enableModelCheckpointHook?: boolean;
  /** Options of the model checkpoints. */
  readonly modelCheckpointConfig?: ConfigOptions<ModelCheckpointOptions>;
  /** Stops a run that no longer improves. */
  readonly enableEarlyStoppingHook?: boolean;
  /** Options of early stopping. */
  readonly earlyStoppingConfig?: ConfigOptions<EarlyStoppingOptions>;
  /** Reports learning rates. */
  readonly enableLrMonitor?: boolean;
  /** Options of the learning rate monitor. */
  readonly lrMonitorConfig?: ConfigOptions<LrMonitorOptions>;
  /** Custom hooks: modules such as `"./my_hooks.ts#MyHook"`, or names in the registry. They run before all others. */
  readonly hookClasses?: readonly string[];
  /**
   * Options of the custom hooks, by the whole text in `hookClasses`, or by the name after `#` if it is unique. A
   * class or function receives them as one object, or no argument if there are no options.
   */
  readonly hookConfigs?: Readonly<Record<string, HookOptionsConfig>>;
  /**
   * Continues after errors of hooks without an error policy of their own. If `true`, a hook that cannot be created is
   * left out, and errors that hooks throw do not stop the run. If `false`, every error stops the run.
   *
   * @default undefined: each hook's own policy; a hook that cannot be created is an error
   */
  readonly continueOnHookError?: boolean;
  /**
   * Reports errors that do not stop the run.
   *
   * @default true
   */
  readonly logHookErrors?: boolean;
  /** Hooks in lists, or `null` for no lists. */
  readonly hooks?: HooksConfigLists | null;
}

/** Configuration of the hooks of a run, as plain data. Each member may be written in camelCase or snake_case. */
export type HooksConfig = HooksConfigMembers & SnakeCased<HooksConfigMembers>;

type EnableMember = keyof HooksConfigMembers & `enable${string}`;
type ConfigMember = keyof HooksConfigMembers & `${string}Config`;

/** A switch of a {@linkcode HooksConfig}, the member with its options, and the name of its hook. */
export type Switch = readonly [enable: EnableMember, config: ConfigMember, name: string];

/** All switches, in the order in which their hooks are created. */
export const SWITCHES: readonly Switch[] = [
  ["enableLoggingHook", "loggingConfig", "logging"],
  ["enableGradientMonitor", "gradientMonitorConfig", "gradient_monitor"],
  ["enableModelCheckpointHook", "modelCheckpointConfig", "model_checkpoint"],
  ["enableEarlyStoppingHook", "earlyStoppingConfig", "early_stopping"],
  ["enableLrMonitor", "lrMonitorConfig", "lr_monitor"],
];

/** All lists, in the order in which their hooks are created. */
export const LISTS: readonly HookList[] = ["forward", "update", "other"];

/** All members in camelCase. */
export const CONFIG_MEMBERS: readonly (keyof HooksConfigMembers)[] = [
  ...SWITCHES.flatMap(([enable, config]) => [enable, config] as const),
  "hookClasses",
  "hookConfigs",
  "continueOnHookError",
  "logHookErrors",
  "hooks",
];
