/**
 * The same step with other libraries: nine stages, eight hook classes, fifteen calls, two of each alive.
 *
 * @module
 */

import { type StepContext, type StepHook, stepLoop, type Stepper, Steps } from "./bodies.ts";
import { type Case, checked, TURNS } from "./cases.ts";
import { callsPerStep, classHooks, PLAN, writtenOutMethods } from "./nine_stages.ts";

/** Runs the hooks of one stage. */
interface Event {
  call(context: StepContext): unknown;
}

type Handler = (context: StepContext) => void;

/** Handlers by stage; empty stages have an empty list. */
type Handlers = readonly (readonly Handler[])[];

const STAGE_NAMES: readonly string[] = PLAN.map((_, stage) => `stage:${stage}`);

class Events implements Stepper {
  readonly context: StepContext = { stepCount: 0 };
  readonly events: readonly Event[];

  constructor(events: readonly Event[]) {
    this.events = events;
  }

  step(context: StepContext): undefined {
    const { events } = this;
    for (let stage = 0; stage < 9; stage++) events[stage]!.call(context);
  }
}

interface Emitter {
  on(name: string, handler: Handler): unknown;
  emit(name: string, context: StepContext): unknown;
}

class Emitting implements Stepper {
  readonly context: StepContext = { stepCount: 0 };
  readonly emitter: Emitter;

  constructor(emitter: Emitter, handlers: Handlers) {
    this.emitter = emitter;
    subscribe(handlers, (name, handler) => emitter.on(name, handler));
  }

  step(context: StepContext): undefined {
    const { emitter } = this;
    for (let stage = 0; stage < 9; stage++) emitter.emit(STAGE_NAMES[stage]!, context);
  }
}

function subscribe(handlers: Handlers, on: (name: string, handler: Handler) => unknown): void {
  handlers.forEach((list, stage) => list.forEach((handler) => on(STAGE_NAMES[stage]!, handler)));
}

/** Makes a stepper from the handlers of the stages. */
type Make = (handlers: Handlers) => Stepper;

/** By name, as in the table. */
export const PEERS: Readonly<Record<string, () => Promise<Make>>> = {
  "tapable": async () => {
    const { SyncHook } = await import("tapable");
    return (handlers) =>
      new Events(handlers.map((list) => {
        const event = new SyncHook<[StepContext]>(["context"]);
        list.forEach((handler, i) => event.tap(`tap ${i}`, handler));
        return event;
      }));
  },
  "eventemitter3": async () => {
    const { EventEmitter } = await import("eventemitter3");
    return (handlers) => new Emitting(new EventEmitter(), handlers);
  },
  "mitt": async () => {
    const { default: mitt } = await import("mitt");
    const make = mitt as unknown as () => Emitter;
    return (handlers) => new Emitting(make(), handlers);
  },
  "nanoevents": async () => {
    const { createNanoEvents } = await import("nanoevents");
    return (handlers) => new Emitting(createNanoEvents() as unknown as Emitter, handlers);
  },
  "hookable": async () => {
    const { createHooks } = await import("hookable");
    return (handlers) => {
      const hooks = createHooks<Record<string, Handler>>();
      subscribe(handlers, (name, handler) => hooks.hook(name, handler));
      const call = (name: string) => ({
        call: (context: StepContext) => hooks.callHook(name, context),
      });
      return new Events(STAGE_NAMES.map(call));
    };
  },
  "typed-function": async () => {
    const { default: { create } } = await import("typed-function") as unknown as TypedModule;
    const typed = create();
    typed.addTypes([{
      name: "StepContext",
      test: (x) => typeof x === "object" && x !== null && "stepCount" in x,
    }]);
    return (handlers) =>
      new Events(handlers.map((list, stage) =>
        new TypedList(
          STAGE_NAMES[stage]!,
          list.map((handler, i) => typed(`hook${i}`, { "StepContext, string": handler })),
        )
      ));
  },
  "array loop": () => Promise.resolve((handlers) => new Events(handlers.map(listOf))),
};

/** The members of typed-function that are used. Its own types describe another version. */
export interface TypedModule {
  readonly default: { create(): Typed };
}

/** Makes functions of several signatures. */
export interface Typed {
  (name: string, signatures: Readonly<Record<string, unknown>>): (
    context: unknown,
    stage: unknown,
  ) => unknown;
  addTypes(types: readonly { name: string; test(x: unknown): boolean }[]): void;
}

function listOf(list: readonly Handler[]): Event {
  return new List(list);
}

class List implements Event {
  readonly list: readonly Handler[];

  constructor(list: readonly Handler[]) {
    this.list = list;
  }

  call(context: StepContext): void {
    const { list } = this;
    for (let i = 0; i < list.length; i++) list[i]!(context);
  }
}

class TypedList implements Event {
  readonly stage: string;
  readonly list: readonly ((context: unknown, stage: unknown) => unknown)[];

  constructor(stage: string, list: TypedList["list"]) {
    this.stage = stage;
    this.list = list;
  }

  call(context: StepContext): void {
    const { list, stage } = this;
    for (let i = 0; i < list.length; i++) list[i]!(context, stage);
  }
}

/** The step with a peer, against the calls written out. */
export async function peerCase(name: string): Promise<Case> {
  const make = await PEERS[name]!();
  const peers = TURNS.map((by) => make(handlersOf(classHooks(by))));
  const loop = stepLoop(), floorLoop = stepLoop();
  return checked(
    TURNS.map((by) => new Steps(writtenOutMethods(classHooks(by), { stepCount: 0 }), floorLoop)),
    peers.map((stepper) => new Steps(stepper, loop)),
    TURNS.map(callsPerStep),
    name,
  );
}

/** These libraries take functions, so a method needs an arrow around it. */
function handlersOf(hooks: readonly StepHook[]): Handlers {
  return PLAN.map((numbers, stage) =>
    numbers.map((i) => {
      const hook = hooks[i]!, name = STAGE_NAMES[stage]!;
      return (context) => hook.call(context, name);
    })
  );
}
