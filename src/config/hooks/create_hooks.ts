/**
 * Creation of hooks from a configuration.
 *
 * @module
 */

import type { AddOptions } from "../../hooks/registry/add_options.ts";
import { Loop } from "../../hooks/loop/loop.ts";
import type { ErrorPolicy, HookWarning } from "../../hooks/protocol/outcome.ts";
import { printFirst } from "../../hooks/registry/error_reports.ts";
import type { StateSource } from "../../hooks/run/reads.ts";
import type { HookInput } from "../../hooks/registry/hook_set.ts";
import { isObject } from "../../base/object.ts";
import { reasonOf, show } from "../../base/show.ts";
import { stageInfos } from "../../hooks/protocol/stage.ts";
import { TrainingStage } from "../../training/stages.ts";
import { loadHook } from "./hook_module.ts";
import { addressOf, type ModuleRules, policyOfModules } from "./module_address.ts";
import { HookRegistry, type RegisteredHook } from "./hook_registry.ts";
import { findHook, numbered } from "./registered_hook.ts";
import type { HooksConfig } from "./hooks_config.ts";
import { wrong } from "../json_schema.ts";
import { type ReadConfig, readConfig, type WantedHook } from "./read_config.ts";

/** A hook of a configuration, with options for `trainer.hooks.add(hook, options)`. */
export interface CreatedHook {
  /** The hook. */
  readonly hook: HookInput<typeof TrainingStage>;
  /** Options for adding the hook. */
  readonly options: AddOptions;
  /** Path in the configuration, such as `hooks.forward[0]`. */
  readonly path: string;
  /** True if errors of the hook that do not stop the run are reported. */
  readonly logErrors: boolean;
}

/** Options of {@linkcode createHooks}. */
export interface CreateHooksOptions {
  /**
   * Registry that resolves the names of hooks. It is ignored if the configuration is given as a registry.
   *
   * @default a registry of the built-in hooks
   */
  readonly registry?: HookRegistry;
  /**
   * Base of relative paths of modules: `import.meta.url`, or the path of the configuration.
   *
   * @default the current directory
   */
  readonly base?: string | URL;
  /**
   * Modules that the configuration may name. Importing a module runs it, so the default allows only files in the
   * folder of `base` or below it. `"any"` allows every address that `import` accepts; use it only for a configuration
   * that is trusted like the program itself. `"none"` allows no modules.
   *
   * @default "folder"
   */
  readonly modules?: "folder" | "any" | "none";
  /**
   * Function that receives a warning for each hook that is left out because of `continueOnHookError`. The stage of
   * the warning is `"config"`.
   *
   * @default prints the warning
   */
  readonly onWarning?: (warning: HookWarning) => void;
}

/**
 * Creates the hooks of a configuration in this order: the custom hooks of `hookClasses`, the hooks that switches such
 * as `enableLoggingHook` enable, and the hooks of `hooks.forward`, `hooks.update` and `hooks.other`. Each list keeps
 * its order. Built-in hooks and all hooks in lists get `{ order: "last" }`, so that they run after hooks that are
 * added in code.
 *
 * The whole configuration is checked before the first hook is created.
 *
 * @throws {TypeError | RangeError} for an unknown name, option or value; the message has its path in the
 * configuration, and suggests the most similar name
 * @throws {TypeError} if the option `modules` does not allow a module
 * @throws {Error} if a module cannot be loaded, or if a hook rejects its options; the original error is the `cause`
 *
 * @example
 * ```ts
 * import { createHooks } from "@hooke/hooke/config";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const hooks = await createHooks({
 *   hooks: { update: [{ name: "identity", enabled: false }] },
 * });
 * assertEquals(hooks.map(({ options }) => options), [
 *   { name: "identity", order: "last", enabled: false },
 * ]);
 * await assertRejects(
 *   () => createHooks({ hooks: { update: [{ name: "idenity" }] } }),
 *   RangeError,
 *   "hooks.update[0].name must be one of",
 * );
 * ```
 */
export async function createHooks(
  config: HooksConfig | HookRegistry,
  options: CreateHooksOptions = {},
): Promise<CreatedHook[]> {
  const { base, onWarning = printFirst } = options;
  const isLoaded = config instanceof HookRegistry;
  const registry = isLoaded ? config : options.registry ?? new HookRegistry();
  const modules = { base, policy: policyOfModules(options.modules) };
  const read = isLoaded ? config.read() : readConfig(config);
  // All hooks are checked before the first one is created, so that a wrong last hook leaves no others behind.
  const plans = read.wanted.map((wanted) => planOf(wanted, registry, modules));
  const created: CreatedHook[] = [], names = new Map<string, number>();
  for (const plan of plans.filter(({ wanted }) => !wanted.isOff)) {
    const { wanted, registered } = plan;
    try {
      const hook = await make(plan);
      checkList(hook, wanted, registered);
      const options = addOptions(plan, hook, { read, names });
      created.push({ hook, options, path: wanted.path, logErrors: read.logs });
    } catch (error) {
      if (read.continues !== true || registered?.isBuiltIn === true) throw error;
      const hook = wanted.name ?? wanted.spec;
      if (read.logs) onWarning({ from: "hook", hook, stage: "config", step: 0, error, count: 1 });
    }
  }
  return created;
}

/** A hook to create, and the registry's entry for its name. */
interface HookPlan {
  readonly wanted: WantedHook;
  /** Entry in the registry; undefined for a hook from a module. */
  readonly registered: RegisteredHook | undefined;
  /** Address from which the module of the hook is imported; undefined for a hook in the registry. */
  readonly address?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

function planOf(wanted: WantedHook, registry: HookRegistry, modules: ModuleRules): HookPlan {
  if (wanted.isModule) {
    const { path, spec, options } = wanted;
    return { wanted, registered: undefined, options, address: addressOf(spec, path, modules) };
  }
  return { wanted, ...findHook(wanted, registry) };
}

async function make(
  { wanted, registered, options, address = "" }: HookPlan,
): Promise<HookInput<typeof TrainingStage>> {
  const { path, spec } = wanted;
  try {
    const hook = registered === undefined
      ? await loadHook(spec, options, { address, path })
      : registered.make(options);
    if (isObject(hook)) return hook as HookInput<typeof TrainingStage>;
    throw new TypeError(wrong(path, "a hook", hook));
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith("Cannot configure hooks")) throw cause;
    const Same = cause instanceof RangeError ? RangeError : TypeError;
    const text = `Cannot configure hooks: ${show(spec)} (${path}) failed: ${reasonOf(cause)}`;
    throw new Same(text, { cause });
  }
}

/**
 * A state that claims to have every field, so that a temporary loop accepts any hook. The trainer checks later which
 * fields the hook reads.
 */
const ANY_STATE: StateSource = {
  fields: [],
  has: () => true,
  plan: () => ({ live: true, value: () => undefined }),
  writable: () => undefined,
};

/**
 * Throws a TypeError if a hook does not fit its list: `update` needs hooks that change gradients, `forward` needs
 * hooks that observe a forward pass. A temporary loop finds the stages of the hook.
 */
function checkList(
  hook: object,
  { list, path, spec }: WantedHook,
  registered: RegisteredHook | undefined,
): void {
  if (list === undefined || list === "other" || registered?.list === list) return;
  const loop = new Loop({
    kinds: TrainingStage,
    context: { epoch: 0 },
    state: ANY_STATE,
    step: () => {},
  }, {
    name: path,
  });
  loop.hooks.add(hook as never);
  const { stages, writes } = loop.hooks.list()[0]!;
  const infos = stageInfos([TrainingStage]);
  const isFine = list === "update"
    ? stages.includes(TrainingStage.GRADIENTS)
    : writes.length === 0 &&
      stages.some((stage) => FORWARD.includes(stage)) &&
      stages.every((stage) => infos.get(stage)?.role === "observe");
  if (isFine) return;
  const requirement = list === "update"
    ? `a hook at ${TrainingStage.GRADIENTS}`
    : `an observer at ${TrainingStage.AFTER_FORWARD}`;
  const where = stages.join(", ") || "no stage";
  throw new TypeError(
    wrong(path, requirement, spec) + ` at ${where}. Move it to hooks.other`,
  );
}

const FORWARD: readonly string[] = [TrainingStage.BEFORE_FORWARD, TrainingStage.AFTER_FORWARD];

function addOptions(
  { wanted, registered }: HookPlan,
  hook: object,
  { read, names }: { readonly read: ReadConfig; readonly names: Map<string, number> },
): AddOptions {
  const { spec, list, enabled } = wanted;
  const isLast = list !== undefined || registered?.isBuiltIn === true;
  const name = wanted.name ?? (registered === undefined ? undefined : spec);
  const onError = wanted.onError ?? policyOf(hook, read);
  return {
    ...(name !== undefined && { name: numbered(name, names) }),
    ...(isLast && { order: "last" as const }),
    ...(onError !== undefined && { onError }),
    ...(!enabled && { enabled }),
  };
}

function policyOf(hook: object, { continues }: ReadConfig): ErrorPolicy | undefined {
  if (continues === undefined) return undefined;
  if (!continues) return "throw";
  return (hook as { readonly onError?: ErrorPolicy }).onError === undefined ? "warn" : undefined;
}
