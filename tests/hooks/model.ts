/** A model of the registry: random sequences of add, remove, toggle and fire, against a list that does everything the slow and obvious way. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Band, type BaseContext, type HookHandle, Loop, stages } from "@hooke/hooke/hooks";

const NAMES = ["ONE", "TWO", "THREE"] as const;
const PlainStage = stages<BaseContext>()("plain", NAMES);
type Stage = `plain/${typeof NAMES[number]}`;

const stage = fc.constantFrom<Stage>("plain/ONE", "plain/TWO", "plain/THREE");
const pick = fc.nat(20);
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("fire" as const), stage }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("step" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      stages: fc.uniqueArray(stage, { minLength: 1 }),
      frequency: fc.constantFrom(1, 1, 1, 2, 3),
      phase: fc.nat(2),
      once: fc.boolean(),
      band: fc.constantFrom<Band>("first", "normal", "normal", "last"),
      slow: fc.boolean(),
      // What the hook does when it fires: nothing, or something to a hook of the same engine.
      acts: fc.constantFrom("no", "no", "no", "removes", "toggles", "throws"),
      on: pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("remove" as const, "toggle" as const),
      which: pick,
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
type Add = Extract<Command, { do: "add" }>;

/** One hook of the model. */
interface Modelled {
  readonly name: string;
  readonly add: Add;
  readonly fired: Set<Stage>;
  enabled: boolean;
}

/** The obvious registry: a list in order of registration, searched at every firing. */
class Model {
  readonly log: string[] = [];
  hooks: Modelled[] = [];

  add(name: string, add: Add): void {
    this.hooks.push({ name, add, fired: new Set(), enabled: true });
  }

  remove(index: number): void {
    const hook = this.hooks[index % this.hooks.length];
    this.hooks = this.hooks.filter((other) => other !== hook);
  }

  toggle(index: number): void {
    const hook = this.hooks[index % this.hooks.length];
    if (hook !== undefined) hook.enabled = !hook.enabled;
  }

  fire(stage: Stage, count: number): void {
    const bands = ["first", "normal", "last"] as const;
    const now = bands.flatMap((band) =>
      this.hooks.filter((hook) => hook.add.band === band && hook.enabled)
    );
    for (const { name, add, fired } of now) {
      if (!add.stages.includes(stage) || count % add.frequency !== add.phase % add.frequency) {
        continue;
      }
      if (add.once && fired.has(stage)) continue;
      fired.add(stage);
      this.log.push(`${name} ${stage} ${count}`);
      if (add.acts === "removes") this.remove(add.on);
      if (add.acts === "toggles") this.toggle(add.on);
    }
  }
}

/** The real one, driven in the same way; picks hooks by order of registration, as the model does. */
class Real {
  readonly log: string[] = [];
  readonly loop: Loop<typeof PlainStage> = new Loop({
    kinds: PlainStage,
    step: () => {},
  }, {
    onWarning: () => {},
  });
  #handles: { readonly handle: HookHandle; readonly enabled: boolean }[] = [];

  add(name: string, add: Add): void {
    const call = (_ctx: BaseContext, stage: Stage): void | Promise<void> => {
      this.log.push(`${name} ${stage} ${this.count}`);
      if (add.acts === "removes") this.remove(add.on);
      if (add.acts === "toggles") this.toggle(add.on);
      if (add.acts === "throws") throw new Error("planned");
      if (add.slow) return Promise.resolve();
    };
    const { frequency, once, stages } = add;
    const phase = add.phase % frequency, onError = "warn" as const;
    const hook = { stages, frequency, phase, once, onError, call };
    this.#handles.push({
      handle: this.loop.hooks.add(hook, { name, order: add.band }),
      enabled: true,
    });
  }

  remove(index: number): void {
    const which = this.#handles[index % this.#handles.length];
    which?.handle.remove();
    this.#handles = this.#handles.filter((other) => other !== which);
  }

  toggle(index: number): void {
    const at = index % this.#handles.length, which = this.#handles[at];
    if (which === undefined) return;
    if (which.enabled) which.handle.disable();
    else which.handle.enable();
    this.#handles = this.#handles.with(at, { ...which, enabled: !which.enabled });
  }

  count = 0;

  async fire(stage: Stage): Promise<void> {
    await this.loop.point(stage).fire(this.count);
  }
}

/** Checks that many random sequences; throws for the first that differs, with a shortest one like it. */
export async function checkAgainstModel(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const model = new Model(), real = new Real();
      let n = 0;
      for (const command of commands) {
        if (command.do === "add") {
          const name = `h${n++}`;
          model.add(name, command);
          real.add(name, command);
        } else if (command.do === "step") real.count++;
        else if (command.do === "fire") {
          model.fire(command.stage, real.count);
          await real.fire(command.stage);
        } else {
          model[command.do](command.which);
          real[command.do](command.which);
        }
        assertEquals(real.log, model.log);
      }
      assertEquals(
        new Set(real.loop.hooks.list().map(({ name }) => name)),
        new Set(model.hooks.map(({ name }) => name)),
      );
    }),
    { numRuns },
  );
}
