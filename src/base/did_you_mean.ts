/**
 * Synonyms from other programs, separated by spaces, by the name of an option or a device in this package. `nearest`
 * returns the first name in this order that is a candidate.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  temperature: "temp t kelvin temperature_k",
  dt: "timestep step_size step h",
  frequency: "every every_steps interval period stride log_interval dump_freq",
  everySteps: "every interval period stride frequency n_steps",
  every: "frequency every_steps interval period stride",
  keepLast: "keep max_to_keep save_total_limit",
  keep: "keep_last max_to_keep save_total_limit",
  logPath: "path file filename log_file",
  folder: "path dir directory output_dir root",
  outputDir: "path dir directory folder root",
  path: "file filename folder dir directory",
  sink: "trajectory traj writer output path file",
  model: "potential calculator calc force_field",
  hooks: "callbacks observers plugins",
  lr: "learning_rate rate eta",
  nSteps: "steps max_steps num_steps n_iter",
  friction: "gamma damping",
  cutoff: "rc rcut r_cut r_max radius",
  webgpu: "gpu cuda metal vulkan mps",
  wasm: "cpu native simd",
};

/** Returns the candidate most like `word`, for "did you mean"; `undefined` if no candidate is similar. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates], plain = plainOf(word);
  const isMeant = (name: string) =>
    all.includes(name) && SYNONYMS[name]!.split(" ").some((other) => plainOf(other) === plain);
  return Object.keys(SYNONYMS).find(isMeant) ?? nearestSpelled(word, all) ??
    all.find((name) => plain.length > 2 && plainOf(name).startsWith(plain));
}

function nearestSpelled(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined, least = Math.max(2, word.length / 2);
  for (const candidate of candidates) {
    const d = distance(word.toLowerCase(), candidate.toLowerCase());
    if (d < least) [best, least] = [candidate, d];
  }
  return best;
}

/** Returns a name in lower case, without hyphens, underscores and spaces. */
function plainOf(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

/** Returns `; did you mean X?` for a similar candidate X, or an empty string if there is no similar candidate. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const best = nearest(word, candidates);
  return best === undefined ? "" : `; did you mean ${best}?`;
}

/**
 * Returns the Levenshtein distance: the least number of insertions, deletions and substitutions that turn `a` into
 * `b`.
 */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(substituted, above[j]! + 1, row[j - 1]! + 1);
    }
  }
  return row[b.length]!;
}
