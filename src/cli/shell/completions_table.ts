/**
 * Table of the command `hooke completions`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, text } from "../frame/option.ts";
import type { CompletionsSettings } from "./settings.ts";

/** The command `hooke completions`. */
export const COMPLETIONS: Command<CompletionsSettings> = {
  name: "completions",
  summary: "prints a script that completes commands and options in a shell",
  options: {
    shell: files({ value: "SHELL", help: "bash, zsh or fish" }),
    name: text({
      help: "Name by which you call the program, such as that of an alias",
      initial: "hooke",
    }),
  },
  notes: [
    "Shells complete a program by its name. If you start it in another way, define an alias, such as alias hooke='npx -y deno@2.9.6 task hooke'.",
  ],
  examples: [
    ["completions bash >> ~/.bashrc", "completes in bash"],
    ["completions zsh > ~/.zfunc/_hooke", "completes in zsh, with ~/.zfunc in fpath"],
    ["completions fish > ~/.config/fish/completions/hooke.fish", "completes in fish"],
  ],
  load: async () => (await import("./completions.ts")).completions,
};
