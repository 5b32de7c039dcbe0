/** What allocates, or gives up the thread, each time a loop comes by. */
const ALLOCATING: Readonly<Record<string, string>> = {
  ArrayExpression: "an array literal",
  ObjectExpression: "an object literal",
  ArrowFunctionExpression: "a closure",
  FunctionExpression: "a closure",
  FunctionDeclaration: "a closure",
  ClassExpression: "a class",
  SpreadElement: "a spread",
  TemplateLiteral: "a template string",
  NewExpression: "`new`",
  AwaitExpression: "`await`",
};

/**
 * Nothing is allocated in the loops of a hot function: one marked by a line `// hot` directly above it, or by
 * `@hot` in its doc comment. Building the message of a `throw` is no allocation on the hot path.
 */
export const hotLoops: Deno.lint.Rule = {
  create(context) {
    if (!/\/\/ ?hot\b|@hot\b/.test(context.sourceCode.text)) return {};
    const marks = hotMarks(context.sourceCode);
    const visitor: Record<string, (node: Deno.lint.Node) => void> = {};
    for (const [type, what] of Object.entries(ALLOCATING)) {
      visitor[type] = (node) => {
        if (!isInLoopOf(node, (fn) => isMarked(fn, marks, context.sourceCode.text))) return;
        context.report({ node, message: `The loop of a hot function must not hold ${what}` });
      };
    }
    return visitor;
  },
};

/** Where the marking comments end. */
function hotMarks(source: Deno.lint.SourceCode): number[] {
  return source.getAllComments()
    .filter((comment) =>
      comment.type === "Line" ? /^\s*hot\b/.test(comment.value) : /(^|\s)@hot\b/.test(comment.value)
    )
    .map((comment) => comment.range[1]);
}

function isFunction(node: Deno.lint.Node): boolean {
  return node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
}

/** Whether the node runs once per turn of a loop in the nearest function around it, and that one is hot. */
function isInLoopOf(node: Deno.lint.Node, isHot: (fn: Deno.lint.Node) => boolean): boolean {
  let inLoop = false;
  for (let inner = node, outer = parentOf(node); outer; inner = outer, outer = parentOf(outer)) {
    if (outer.type === "ThrowStatement") return false;
    if (isFunction(outer)) return inLoop && isHot(outer);
    if (runsEachTurn(outer, inner)) inLoop = true;
  }
  return false;
}

/** What a loop evaluates once, before its first turn, is no part of it. */
function runsEachTurn(loop: Deno.lint.Node, part: Deno.lint.Node): boolean {
  switch (loop.type) {
    case "ForStatement":
      return !sameRange(loop.init, part);
    case "ForOfStatement":
    case "ForInStatement":
      return !sameRange(loop.right, part);
    case "WhileStatement":
    case "DoWhileStatement":
      return true;
    default:
      return false;
  }
}

function sameRange(a: Deno.lint.Node | null, b: Deno.lint.Node): boolean {
  return a !== null && a.range[0] === b.range[0] && a.range[1] === b.range[1];
}

/** Whether nothing but white space lies between a mark and the statement or member that holds the function. */
function isMarked(fn: Deno.lint.Node, marks: readonly number[], text: string): boolean {
  for (
    let node: Deno.lint.Node | undefined = fn;
    node && node.type !== "Program";
    node = parentOf(node)
  ) {
    const start = node.range[0];
    if (marks.some((end) => end <= start && text.slice(end, start).trim() === "")) return true;
    if (isHolder(node)) return false;
  }
  return false;
}

/** Where looking outwards for a mark ends: beyond it the comment belongs to something else. */
function isHolder(node: Deno.lint.Node): boolean {
  return node.type.startsWith("Export") || node.type === "MethodDefinition" ||
    node.type === "PropertyDefinition" || node.type === "BlockStatement" ||
    node.type === "ClassBody";
}

function parentOf(node: Deno.lint.Node): Deno.lint.Node | undefined {
  return "parent" in node ? node.parent as Deno.lint.Node | undefined : undefined;
}
