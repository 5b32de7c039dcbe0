"""Writes gradients_torch.jsonl beside this file: what PyTorch makes of operators, first and second order. Needs torch.

One case a line. Inputs, cotangents v and weights w are whole numbers of 64ths, so that they are exact in float32 too;
what PyTorch makes of them in float64 is base64 of little-endian doubles, or 0 where all of it is 0.

  L = sum of v * y over the outputs that have a v;  first = dL/dx for each x of `wrt`
  S = sum of w * first;                             second = dS/dx, secondV = dS/dv

The meaning is that of ONNX; the functions of PyTorch are only what computes it. Where several derivatives are right:
Relu'(0) = Abs'(0) = 0; equal operands of Max and Min, and equal elements of ReduceMax and ReduceMin, share evenly;
TopK and MaxPool choose the first; Clip has 1 in the closed interval.
"""

import base64
import itertools
import json
import math
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
UNIT = 64
CODES = {"f32": 1, "i64": 7, "f64": 11}
lines, names, rng = [], set(), np.random.default_rng(0)


@dataclass(frozen=True)
class Input:
    """What goes into a node. `shape`: lengths as a dynamic model names them; None names each but those of 1."""

    dims: tuple
    data: list
    type: str = "f64"
    constant: bool = False
    shape: tuple | None = None

    def tensor(self):
        kinds = {"f64": torch.float64, "f32": torch.float64, "i64": torch.int64, "bool": torch.bool}
        scale = UNIT if self.type[0] == "f" else 1
        return torch.tensor([d / scale if scale > 1 else d for d in self.data], dtype=kinds[self.type]).reshape(self.dims)

    def described(self):
        shape = self.shape or tuple(n if n == 1 else f"L{n}" for n in self.dims)
        out = {"type": self.type, "dims": self.dims, "data": self.data}
        if self.constant:
            return {**out, "constant": True}
        return {**out, "shape": shape}


def count(dims):
    return math.prod(dims)


def x(*dims, low=-2.0, high=2.0, **more):
    """Different values, none 0."""
    values = [i for i in range(math.ceil(low * UNIT), math.floor(high * UNIT) + 1) if i != 0]
    return Input(dims, [int(i) for i in rng.choice(values, count(dims), replace=False)], **more)


def given(values, dims=None, **more):
    data = [round(v * UNIT) for v in values]
    assert all(d == v * UNIT for d, v in zip(data, values))
    return Input((len(values),) if dims is None else tuple(dims), data, **more)


def ints(values, dims=None, constant=True, **more):
    if isinstance(values, int):
        return Input((), [values], "i64", constant, **more)
    return Input((len(values),) if dims is None else tuple(dims), list(values), "i64", constant, **more)


def idx(values, dims=None, **more):
    return ints(values, dims, constant=False, **more)


def const(one):
    return replace(one, constant=True)


def static(one):
    return replace(one, shape=one.dims)


def named(one, *shape):
    return replace(one, shape=shape)


def encoded(tensor):
    array = tensor.detach().numpy(force=True).astype("<f8")
    assert np.isfinite(array).all()
    if (abs(array) < 1e-13).all():  # what rounding leaves of 0
        return 0
    return base64.b64encode(array.tobytes()).decode()


def weights(tensor):
    data = [int(i) for i in rng.choice([i for i in range(-128, 129) if i != 0], tensor.numel())]
    return data, torch.tensor([d / UNIT for d in data], dtype=torch.float64).reshape(tensor.shape)


def grads(of, wrt):
    if not (torch.is_tensor(of) and of.requires_grad):
        return [torch.zeros_like(w) for w in wrt]
    found = torch.autograd.grad(of, wrt, create_graph=True, allow_unused=True)
    return [torch.zeros_like(w) if g is None else g for g, w in zip(found, wrt)]


def made(op, y, inputs):
    if not y.is_floating_point():
        return "i64"
    return ("f32" if inputs[0].type == "f64" else "f64") if op.startswith("Cast") else next(
        one.type for one in inputs if one and one.type[0] == "f")


def case(op, name, inputs, f, attributes=None, wrt=None, second=True, opset=18, note=None, tolerance=None, skip=()):
    """`inputs`: Input, None for one left out, or a number for the same value as that input. `skip`: outputs not in L."""
    global rng
    name = f"{op}: {name}"
    assert name not in names, name
    names.add(name)
    tensors = []
    for one in inputs:
        tensors.append(tensors[one] if isinstance(one, int) else None if one is None else one.tensor())
    isfree = lambda one: isinstance(one, Input) and one.type[0] == "f" and not one.constant
    wrt = [i for i, one in enumerate(inputs) if isfree(one)] if wrt is None else wrt
    free = [tensors[i].requires_grad_() for i in wrt]
    ys = f(*tensors)
    ys = ys if isinstance(ys, tuple) else (ys,)
    rng = np.random.default_rng(zlib.crc32((name + "v").encode()))
    vs = [None if not y.is_floating_point() or i in skip else weights(y) for i, y in enumerate(ys)]
    used = [v[1].requires_grad_() for v in vs if v]
    loss = sum((y * v[1]).sum() for y, v in zip(ys, vs) if v)
    first = grads(loss, free)
    ws = [weights(g) for g in first]
    line = {"name": name, "op": op}
    if opset != 18:
        line["opset"] = opset
    if attributes:
        line["attributes"] = attributes
    line["inputs"] = [{"same": o} if isinstance(o, int) else o and o.described() for o in inputs]
    line["y"] = [{"type": made(op, y, inputs), "dims": list(y.shape), "data": encoded(y.to(torch.float64))} for y in ys]
    line["v"] = [v and v[0] for v in vs]
    line["wrt"] = wrt
    line["first"] = [encoded(g) for g in first]
    if second:
        both = grads(sum((g * w[1]).sum() for g, w in zip(first, ws)), free + used)
        line["w"] = [w[0] for w in ws]
        line["second"] = [encoded(g) for g in both[: len(free)]]
        line["secondV"] = [encoded(g) for g in both[len(free) :]]
    if tolerance:
        line["tolerance"] = tolerance
    if note:
        line["note"] = note
    lines.append(json.dumps(line, separators=(",", ":")))
    rng = np.random.default_rng(zlib.crc32(name.encode()))


fl = lambda value: {"float": float(value)}

# --- elementwise, two operands -------------------------------------------------------------------

PAIRS = {
    "same shape": ((2, 3), (2, 3)),
    "lower rank": ((2, 3), (3,)),
    "both stretch": ((2, 1, 3), (2, 1)),
    "scalar": ((2, 2), ()),
    "one element": ((1,), (2, 2)),
    "rank goes up": ((3,), (1, 1, 3)),
    "no elements": ((0, 3), (3,)),
    "stretched to nothing": ((2, 0), (2, 1)),
}
BINARY = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div}
for op, f in BINARY.items():
    low = 0.5 if op == "Div" else -2
    for title, (a, b) in PAIRS.items():
        case(op, title, [x(*a), x(*b, low=low)], f)
    case(op, "a named length that is 1", [named(x(1, 3), "M", 3), named(x(2, 3, low=low), "N", 3)], f)
    case(op, "a named length that is 1, second", [named(x(2, 2), "N", "C"), named(x(2, 1, low=low), "N", "D")], f)
    case(op, "with itself", [x(3, low=0.5), 0], f)
    case(op, "a constant", [x(2, 3), const(x(3, low=low))], f)
    case(op, "of a constant", [const(x(2, 1)), x(1, 3, low=low)], f)

POSITIVE = dict(low=0.25, high=2)
for p in [2, 3, 4, 1, -1, -2, 0.5, 1.5, 2.5]:
    values = dict(low=-2) if p == int(p) else POSITIVE
    values = dict(low=-2, high=-0.5) if p < 0 else values
    case("Pow", f"to {p}", [x(2, 2, **values), const(given([p], []))], torch.pow)
case("Pow", "0 to 2 and 3", [given([0, -1.5, 0, 0.5]), const(given([2, 2, 3, 3]))], torch.pow)
case("Pow", "to 0, of 0 too", [given([0, -1.5, 0.5]), const(given([0], []))], lambda a, _: a * 0 + 1)
case("Pow", "to a whole number's type", [x(2, 2), ints(3)], lambda a, b: torch.pow(a, 3))
case("Pow", "by both", [x(2, 3, **POSITIVE), x(3)], torch.pow)
case("Pow", "by both, stretched", [x(2, 1, **POSITIVE), x(1, 2)], torch.pow)
case("Pow", "by the exponent", [const(x(3, **POSITIVE)), x(2, 3)], torch.pow)
case("Pow", "by both, no elements", [x(0, 2, **POSITIVE), x(2)], torch.pow)
case("Pow", "by both, of 0", [given([0, 0.5, 0]), given([2, 1.5, 3])], torch.pow, second=False,
     note="the exponent of 0 has the derivative 0")
case("Pow", "a computed exponent", [x(2, 3, **POSITIVE), x(1)], torch.pow, wrt=[0])

# --- elementwise, one operand --------------------------------------------------------------------


def mish(a):
    return a * torch.tanh(F.softplus(a, threshold=1e4))


UNARY = {
    "Neg": (torch.neg, {}),
    "Abs": (torch.abs, {}),
    "Exp": (torch.exp, {}),
    "Log": (torch.log, POSITIVE),
    "Sqrt": (torch.sqrt, POSITIVE),
    "Reciprocal": (torch.reciprocal, dict(low=-2, high=-0.25)),
    "Sin": (torch.sin, {}),
    "Cos": (torch.cos, {}),
    "Tan": (torch.tan, dict(low=-1, high=1)),
    "Asin": (torch.asin, dict(low=-0.9, high=0.9)),
    "Acos": (torch.acos, dict(low=-0.9, high=0.9)),
    "Atan": (torch.atan, {}),
    "Sinh": (torch.sinh, {}),
    "Cosh": (torch.cosh, {}),
    "Tanh": (torch.tanh, {}),
    "Asinh": (torch.asinh, {}),
    "Acosh": (torch.acosh, dict(low=1.25, high=3)),
    "Atanh": (torch.atanh, dict(low=-0.9, high=0.9)),
    "Erf": (torch.erf, {}),
    "Sigmoid": (torch.sigmoid, {}),
    "Relu": (torch.relu, {}),
    "Elu": (F.elu, {}),
    "Celu": (F.celu, {}),
    "Softplus": (lambda a: F.softplus(a, threshold=1e4), {}),
    "Softsign": (F.softsign, {}),
    "Mish": (mish, {}),
    "Identity": (lambda a: a * 1, {}),
    "Sign": (torch.sign, {}),
    "Floor": (torch.floor, {}),
    "Ceil": (torch.ceil, {}),
    "Round": (torch.round, {}),
}
for op, (f, domain) in UNARY.items():
    domain = {**domain, "type": "f32"} if op == "Celu" else domain  # it takes no other
    case(op, "matrix", [x(2, 3, **domain)], f)
    case(op, "scalar", [x(**domain)], f)
    case(op, "no elements", [x(0, 2, **domain)], f)
case("Relu", "at 0", [given([0, 1, -1])], torch.relu, note="0 at 0")
case("Abs", "at 0", [given([0, 1, -1])], torch.abs, note="0 at 0")
case("Sigmoid", "far out", [given([-40, 40, -20, 20])], torch.sigmoid)
case("Softplus", "far out", [given([-30, 30, -800, 800])], lambda a: torch.logaddexp(a, torch.zeros_like(a)), second=False)
case("Tanh", "far out", [given([-20, 20, -5])], torch.tanh)

ALPHA = {"alpha": fl(0.375)}
case("LeakyRelu", "alpha", [x(2, 3)], lambda a: F.leaky_relu(a, 0.375), ALPHA)
case("LeakyRelu", "as it comes", [x(4)], lambda a: F.leaky_relu(a, 0.01), tolerance=1e-7)
case("Elu", "alpha", [x(2, 3)], lambda a: F.elu(a, 0.375), ALPHA)
case("Celu", "alpha", [x(2, 3, type="f32")], lambda a: F.celu(a, 0.375), ALPHA)
SELU = (1.67326319217681884765625, 1.05070102214813232421875)


def selu(alpha, gamma):
    return lambda a: gamma * torch.where(a > 0, a, alpha * (torch.exp(a) - 1))


case("Selu", "as it comes", [x(2, 3)], selu(*SELU), tolerance=1e-7)
case("Selu", "alpha and gamma", [x(5)], selu(0.375, 1.5), {**ALPHA, "gamma": fl(1.5)})
case("ThresholdedRelu", "as it comes", [x(2, 3)], lambda a: torch.where(a > 1, a, 0))
case("ThresholdedRelu", "alpha", [x(5)], lambda a: torch.where(a > 0.375, a, 0), ALPHA)
case("HardSigmoid", "as it comes", [x(2, 3, low=-4, high=4)], lambda a: torch.clamp(0.2 * a + 0.5, 0, 1), tolerance=1e-7)
case("HardSigmoid", "alpha and beta", [x(6)], lambda a: torch.clamp(0.375 * a + 0.25, 0, 1), {**ALPHA, "beta": fl(0.25)})
case("HardSwish", "three parts", [given([-4, -2.5, -0.5, 0.5, 2.5, 4])], F.hardswish, tolerance=1e-7)
for approximate in ["none", "tanh"]:
    f = lambda a: F.gelu(a, approximate=approximate)
    case("Gelu", approximate, [x(2, 3)], f, {"approximate": approximate}, opset=20,
         tolerance=1e-7 if approximate == "tanh" else None)
case("Gelu", "as it comes, no elements", [x(0, 2)], F.gelu, opset=20)
shrink = lambda a: torch.where(a < -0.5, a + 0.25, torch.where(a > 0.5, a - 0.25, 0 * a))
case("Shrink", "with a bias", [x(2, 3)], shrink, {"lambd": fl(0.5), "bias": fl(0.25)})
prelu = lambda a, s: torch.where(a < 0, a * s, a)
for title, slope in {"for all": (1,), "by channel": (3, 1), "each its own": (2, 3, 2), "scalar": ()}.items():
    case("PRelu", f"slope {title}", [x(2, 3, 2), x(*slope)], prelu)
case("Dropout", "when it does nothing", [x(2, 3)], lambda a: a * 1)
case("Mod", "as fmod does", [given([2.5, -2.5, 1.25, -0.5]), const(given([1], []))], torch.fmod, {"fmod": 1})
case("Cast", "f32 to f64", [x(2, 3, type="f32")], lambda a: a * 1, {"to": CODES["f64"]})
case("Cast", "f64 to f32", [x(2, 3)], lambda a: a * 1, {"to": CODES["f32"]})
case("CastLike", "f32 to f64", [x(2, 3, type="f32"), const(given([1]))], lambda a, b: a * 1)

clamp = lambda a, low=None, high=None: torch.clamp(a, low, high)
BOUNDS = [const(given([-0.5], [])), const(given([0.75], []))]
AROUND = [-1, -0.5, 0.25, 0.75, 1]
case("Clip", "both, at the bounds too", [given(AROUND), *BOUNDS], clamp, note="1 at the bounds")
case("Clip", "only the lower", [given(AROUND), BOUNDS[0]], clamp, note="1 at the bound")
case("Clip", "only the upper", [given(AROUND), None, BOUNDS[1]], clamp, note="1 at the bound")
case("Clip", "neither", [x(2, 2)], lambda a: a * 1)
case("Clip", "computed bounds", [x(2, 3), given([-0.5], []), given([0.75], [])], clamp, wrt=[0])
case("Clip", "by the bounds too", [x(3, 4), given([-0.5], []), given([0.75], [])], clamp)
case("Clip", "no elements", [x(0, 3), *BOUNDS], clamp)


def most(reduced, sign):
    return lambda *a: sign * torch.amax(torch.stack(torch.broadcast_tensors(*[sign * b for b in a])), 0)


def mean(*a):
    return sum(torch.broadcast_tensors(*a)) / len(a)


for op, f in {
    "Max": most(torch.amax, 1),
    "Min": most(torch.amin, -1),
    "Mean": mean,
    "Sum": lambda *a: sum(torch.broadcast_tensors(*a)),
}.items():
    case(op, "one", [x(2, 2)], lambda a: a * 1)
    case(op, "two", [x(2, 3), x(3)], f)
    case(op, "three", [x(2, 3), x(2, 1), x()], f)
    case(op, "a named length that is 1", [named(x(1, 2), "M", 2), named(x(3, 2), "N", 2)], f)
    case(op, "no elements", [x(0, 2), x(1, 2), x(2)], f)
    case(op, "a constant", [x(2, 3), const(x(3))], f)
    if op[0] == "M" and op != "Mean":
        case(op, "two equals", [given([1, 2, 3]), given([1, 3, 2])], f, note="equal operands share evenly")
        case(op, "three equals", [given([1, 1, 3]), given([1, 1, 2]), given([1, 0, 3])], f, note="equal operands share evenly")
        case(op, "equals, stretched", [given([1, 2, 1, 3], [2, 2]), given([1], [])], f, note="equal operands share evenly")
        case(op, "with itself", [x(3), 0], f, note="equal operands share evenly")

where = lambda c, a, b: torch.where(c, a, b)
MASK = Input((2, 1), [True, False], "bool")
case("Where", "same shape", [Input((2, 2), [True, False, False, True], "bool"), x(2, 2), x(2, 2)], where)
case("Where", "all stretch", [MASK, x(3), x()], where)
case("Where", "the mask is the largest", [Input((2, 3), [True, False] * 3, "bool"), x(1, 3), x(2, 1)], where)
case("Where", "one is constant", [MASK, x(2, 3), const(x(1))], where)
case("Where", "the other is constant", [MASK, const(x(1)), x(2, 3)], where)
case("Where", "a constant mask", [const(MASK), x(2, 3), x(2, 3)], where)
case("Where", "no elements", [Input((0, 1), [], "bool"), x(3), x()], where)

# --- products ------------------------------------------------------------------------------------

for title, (a, b) in {
    "matrices": ((2, 3), (3, 4)),
    "two vectors": ((3,), (3,)),
    "vector, matrix": ((3,), (3, 2)),
    "matrix, vector": ((2, 3), (3,)),
    "batch, matrix": ((2, 2, 3), (3, 2)),
    "matrix, batch": ((2, 3), (2, 3, 2)),
    "vector, batch": ((3,), (2, 3, 2)),
    "batch, vector": ((2, 2, 3), (3,)),
    "batches": ((2, 2, 3), (2, 3, 1)),
    "batch of one, batch": ((1, 2, 3), (2, 3, 2)),
    "batches of two axes, stretched": ((2, 1, 2, 1), (3, 1, 2)),
    "sums of nothing": ((2, 0), (0, 3)),
    "no rows": ((0, 3), (3, 2)),
    "no batch": ((0, 2, 3), (3, 2)),
}.items():
    case("MatMul", title, [x(*a), x(*b)], torch.matmul)
case("MatMul", "a weight", [x(2, 3), const(x(3, 2))], torch.matmul)
case("MatMul", "a weight on the left", [const(x(2, 3)), x(3, 2)], torch.matmul)
case("MatMul", "weights of a batch, stretched", [x(1, 2, 3), const(x(2, 3, 2))], torch.matmul)
case("MatMul", "a batch, one weight", [x(2, 2, 3), const(x(3, 2))], torch.matmul)
case("MatMul", "a named batch that is 1", [named(x(1, 2, 2), "M", 2, 2), named(x(2, 2, 2), "N", 2, 2)], torch.matmul)
case("MatMul", "with itself", [x(2, 2), 0], torch.matmul)


def gemm(alpha=1.0, beta=1.0, transA=0, transB=0):
    def f(a, b, c=None):
        y = alpha * (a.T if transA else a) @ (b.T if transB else b)
        return y if c is None else y + beta * c

    return f


for transA, transB in itertools.product([0, 1], [0, 1]):
    a, b = (3, 2) if transA else (2, 3), (4, 3) if transB else (3, 4)
    flags = dict(transA=transA, transB=transB)
    attributes = {**flags, "alpha": fl(0.5), "beta": fl(-1.5)}
    case("Gemm", f"transA {transA}, transB {transB}", [x(*a), x(*b), x(4)], gemm(0.5, -1.5, **flags), attributes)
    case("Gemm", f"weights, transA {transA}, transB {transB}", [x(*a), const(x(*b)), const(x(4))], gemm(**flags), flags)
for title, c in {"scalar": (), "one": (1,), "column": (2, 1), "row": (1, 2), "whole": (2, 2)}.items():
    case("Gemm", f"C {title}", [x(2, 3), x(3, 2), x(*c)], gemm(1, 0.5), {"beta": fl(0.5)})
case("Gemm", "no C", [x(2, 3), x(3, 2)], gemm(2), {"alpha": fl(2)})
case("Gemm", "no rows", [x(0, 3), x(3, 2), x(2)], gemm())
case("Gemm", "sums of nothing", [x(2, 0), x(0, 2), x(2)], gemm())
case("Gemm", "a named C that is 1", [named(x(2, 3), "M", 3), static(x(3, 2)), named(x(1, 2), "K", 2)], gemm())

for equation, shapes in {
    "ij,jk->ik": ((2, 3), (3, 2)),
    "ij,jk": ((2, 3), (3, 2)),
    "bij,bjk->bik": ((2, 2, 3), (2, 3, 1)),
    "bqhd,bkhd->bhqk": ((1, 2, 2, 2), (1, 3, 2, 2)),
    "ij->ji": ((2, 3),),
    "ij->i": ((2, 3),),
    "ij->": ((2, 3),),
    "i,j->ij": ((2,), (3,)),
    "ij,ij->": ((2, 3), (2, 3)),
    "ij,j->i": ((2, 3), (3,)),
    "ij,k->ik": ((2, 3), (2,)),
    "bi,ij,bj->b": ((2, 2), (2, 3), (2, 3)),
    "...ij,jk->...ik": ((2, 2, 3), (3, 2)),
    "...ij,...jk->...ik": ((2, 2, 3), (1, 3, 2)),
    "nd,de,ne->n": ((0, 2), (2, 3), (0, 3)),
}.items():
    case("Einsum", equation, [x(*s) for s in shapes], lambda *a: torch.einsum(equation, *a), {"equation": equation})
case("Einsum", "a weight", [x(2, 2, 3), const(x(2, 3, 2))], lambda a, b: torch.einsum("bij,bjk->ik", a, b), {"equation": "bij,bjk->ik"})

# --- reductions ----------------------------------------------------------------------------------


def by_amax(sign):
    return lambda a, axes, keep: sign * torch.amax(sign * a, axes, keep)


def prod(a, axes, keep):
    for axis in sorted([i % a.dim() for i in axes], reverse=True):
        a = product(a, axis, keep)
    return a


def product(a, axis, keep):
    """Multiplied one by one: right with zeros, twice."""
    parts, y = a.unbind(axis), torch.ones_like(a.select(axis, 0))
    for part in parts:
        y = y * part
    return y.unsqueeze(axis) if keep else y


l2 = lambda a, axes, keep: torch.sqrt((a * a).sum(axes, keep))
REDUCE = {
    "ReduceSum": lambda a, axes, keep: a.sum(axes, keep),
    "ReduceMean": lambda a, axes, keep: a.mean(axes, keep),
    "ReduceProd": prod,
    "ReduceMax": by_amax(1),
    "ReduceMin": by_amax(-1),
    "ReduceL1": lambda a, axes, keep: a.abs().sum(axes, keep),
    "ReduceL2": l2,
    "ReduceSumSquare": lambda a, axes, keep: (a * a).sum(axes, keep),
    "ReduceLogSum": lambda a, axes, keep: a.sum(axes, keep).log(),
    "ReduceLogSumExp": lambda a, axes, keep: torch.logsumexp(a, axes, keep),
}
for op, f in REDUCE.items():
    values = POSITIVE if op == "ReduceLogSum" else {}
    case(op, "all", [x(2, 3, **values)], lambda a: f(a, (0, 1), True))
    case(op, "all, axes go", [x(2, 3, **values)], lambda a: f(a, (0, 1), False), {"keepdims": 0})
    case(op, "last, axis goes", [x(2, 3, **values), ints([-1])], lambda a, _: f(a, (1,), False), {"keepdims": 0})
    case(op, "first, axis stays", [x(2, 3, **values), ints([0])], lambda a, _: f(a, (0,), True), {"keepdims": 1})
    case(op, "two of three", [x(2, 2, 3, **values), ints([0, 2])], lambda a, _: f(a, (0, 2), False), {"keepdims": 0})
    case(op, "no elements left", [x(0, 3, **values), ints([1])], lambda a, _: f(a, (1,), False), {"keepdims": 0})
    case(op, "of a scalar", [x(**values)], lambda a: f(a.reshape(1), (0,), False).reshape(()), {"keepdims": 0})
NOTHING = {"noop_with_empty_axes": 1}
for op in ["ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax"]:
    case(op, "over no axes", [x(2, 2)], lambda a: a * 1, NOTHING)
case("ReduceSum", "over no axes, an empty list", [x(2, 2), ints([], [0])], lambda a, _: a * 1, NOTHING)
case("ReduceSum", "over all axes, an empty list", [x(2, 2), ints([], [0])], lambda a, _: a.sum((0, 1), True))
for op, f in {"ReduceL1": torch.abs, "ReduceL2": torch.abs, "ReduceSumSquare": torch.square, "ReduceLogSum": torch.log}.items():
    case(op, "over no axes", [x(2, 2, **(POSITIVE if f is torch.log else {}))], f, NOTHING, note="what is not the sum is still done")
case("ReduceSum", "of nothing", [x(2, 0), ints([1])], lambda a, _: a.sum(1, True))
case("ReduceSumSquare", "of nothing", [x(0, 2), ints([0])], lambda a, _: (a * a).sum(0, True))
case("ReduceSum", "computed axes", [static(x(2, 3)), named(idx([1]), 1)], lambda a, _: a.sum(1, True))
case("ReduceSum", "a named length that is 1", [named(x(1, 2), "N", 2), ints([0])], lambda a, _: a.sum(0, True))
case("ReduceProd", "one 0", [given([2, 0, 3, 0.5]), ints([0])], lambda a, _: product(a, 0, False), {"keepdims": 0})
case("ReduceProd", "two 0", [given([2, 0, 3, 0]), ints([0])], lambda a, _: product(a, 0, False), {"keepdims": 0})
case("ReduceProd", "rows with none, one, two and three 0", [given([2, 1, 3, 2, 0, 3, 0, 0, 3, 0, 0, 0], [4, 3]), ints([1])],
     lambda a, _: product(a, 1, True))
TIES = given([1, 3, 3, 2, 2, 2], [2, 3])
case("ReduceMax", "equals", [TIES, ints([1])], lambda a, _: torch.amax(a, 1, True), note="equal elements share evenly")
case("ReduceMin", "equals", [TIES], lambda a: torch.amin(a, (0, 1)), {"keepdims": 0}, note="equal elements share evenly")
case("ReduceL1", "of 0", [given([0, 1, -2])], lambda a: a.abs().sum(0, True), note="0 at 0")
case("ReduceL2", "of zeros", [given([0, 0, 3, 4], [2, 2]), ints([1])], lambda a, _: torch.linalg.vector_norm(a, dim=1),
     {"keepdims": 0}, second=False, note="0 at 0")
case("ReduceLogSumExp", "large", [given([800, 799, -800])], lambda a: torch.logsumexp(a, 0, True))

# --- softmax and normalization -------------------------------------------------------------------

for op, f in {"Softmax": torch.softmax, "LogSoftmax": torch.log_softmax}.items():
    case(op, "last", [x(2, 3)], lambda a: f(a, -1))
    case(op, "first", [x(3, 2)], lambda a: f(a, 0), {"axis": 0})
    case(op, "middle", [x(2, 3, 2)], lambda a: f(a, 1), {"axis": 1})
    case(op, "large", [given([700, 701, -700])], lambda a: f(a, 0))
    case(op, "no rows", [x(0, 3)], lambda a: f(a, -1))

EPS = 0.0009765625
EPSILON = {"epsilon": fl(EPS)}


def layer_norm(axis):
    def f(a, scale, bias=None):
        axes = tuple(range(axis % a.dim(), a.dim()))
        m = a.mean(axes, keepdim=True)
        inverse = torch.rsqrt(((a - m) ** 2).mean(axes, keepdim=True) + EPS)
        y = (a - m) * inverse * scale
        return y if bias is None else y + bias, m, inverse

    return f


first_of = lambda f: lambda *a: f(*a)[0]
case("LayerNormalization", "last", [x(2, 3), x(3), x(3)], first_of(layer_norm(-1)), EPSILON)
case("LayerNormalization", "no bias", [x(2, 3), x(3)], first_of(layer_norm(-1)), EPSILON)
case("LayerNormalization", "from axis 1", [x(2, 2, 2), x(2, 2), x(2, 2)], first_of(layer_norm(1)), {**EPSILON, "axis": 1})
case("LayerNormalization", "weights", [x(2, 3), const(x(3)), const(x(3))], first_of(layer_norm(-1)), EPSILON)
case("LayerNormalization", "mean and deviation come out", [x(2, 3, type="f32"), x(3, type="f32"), x(3, type="f32")], layer_norm(-1), EPSILON)
case("LayerNormalization", "no rows", [x(0, 3), x(3), x(3)], first_of(layer_norm(-1)), EPSILON)


def batch_norm(a, scale, bias, m, v):
    by = lambda b: b.reshape(1, -1, *[1] * (a.dim() - 2))
    return (a - by(m)) * torch.rsqrt(by(v) + EPS) * by(scale) + by(bias)


STATISTICS = lambda: [x(3), x(3, **POSITIVE)]
case("BatchNormalization", "all", [x(2, 3, 2), x(3), x(3), *STATISTICS()], batch_norm, EPSILON)
case("BatchNormalization", "weights", [x(1, 3, 2, 2), *map(const, [x(3), x(3), *STATISTICS()])], batch_norm, EPSILON)
case("BatchNormalization", "matrix", [x(2, 3), x(3), x(3), *map(const, STATISTICS())], batch_norm, EPSILON)


def grouped_norm(groups, per_group=False):
    def f(a, scale, bias):
        b = a.reshape(a.shape[0], groups, -1)
        m = b.mean(2, keepdim=True)
        b = (b - m) * torch.rsqrt(((b - m) ** 2).mean(2, keepdim=True) + EPS)
        if per_group:
            return (b * scale.reshape(1, -1, 1) + bias.reshape(1, -1, 1)).reshape(a.shape)
        by = lambda c: c.reshape(1, -1, *[1] * (a.dim() - 2))
        return b.reshape(a.shape) * by(scale) + by(bias)

    return f


case("InstanceNormalization", "one axis", [x(2, 2, 3), x(2), x(2)], grouped_norm(2), EPSILON)
case("InstanceNormalization", "two axes, weights", [x(1, 2, 2, 2), const(x(2)), const(x(2))], grouped_norm(2), EPSILON)
GROUPS = {**EPSILON, "num_groups": 2}
BY_CHANNEL = lambda *dims: replace(x(*dims), shape=("N", 4, *[f"D{i}" for i in range(len(dims) - 2)]))
case("GroupNormalization", "scale by group", [BY_CHANNEL(2, 4, 2), x(2), x(2)], grouped_norm(2, True), GROUPS)
case("GroupNormalization", "scale by channel", [BY_CHANNEL(2, 4, 2), static(x(4)), static(x(4))], grouped_norm(2), GROUPS, opset=21)
case("GroupNormalization", "two axes, weights", [BY_CHANNEL(1, 4, 2, 2), const(x(4)), const(x(4))], grouped_norm(2), GROUPS, opset=21)
case("LpNormalization", "as it comes", [x(2, 3)], lambda a: a / l2(a, (1,), True))
case("LpNormalization", "p 1, first", [x(3, 2)], lambda a: a / a.abs().sum(0, True), {"p": 1, "axis": 0})
mvn = lambda a: (a - a.mean((0, 2), True)) / torch.sqrt((a * a).mean((0, 2), True) - a.mean((0, 2), True) ** 2)
case("MeanVarianceNormalization", "axes", [x(2, 2, 3, type="f32")], mvn, {"axes": [0, 2]}, tolerance=1e-6,
     note="the definition adds 1e-9 to the deviation")

# --- places --------------------------------------------------------------------------------------


def take(axis):
    def f(a, i):
        n = a.shape[axis]
        out = a.index_select(axis, (i.reshape(-1) + n) % max(n, 1))
        at = axis % a.dim()
        return out.reshape((*a.shape[:at], *i.shape, *a.shape[at + 1 :]))

    return f


for title, axis, i in [
    ("rows", 0, idx([2, 0])),
    ("rows, repeated", 0, idx([1, 1, 0, 1])),
    ("rows, negative", 0, idx([-1, 0, -3])),
    ("a table of rows", 0, idx([2, 0, 1, 2], [2, 2])),
    ("constant rows", 0, ints([2, 2, 0])),
    ("constant rows in order", 0, ints([0, 1])),
    ("a constant row", 0, ints(1)),
    ("a constant row from the end", 0, ints(-1)),
    ("a row", 0, idx(2)),
    ("no rows", 0, idx([], shape=("K",))),
    ("columns", 1, idx([1, 0, 1])),
    ("constant columns", 1, ints([1, 1])),
    ("a constant column", 1, ints(0)),
    ("columns, negative", -1, idx([-1, 0])),
    ("a column", -1, idx(1)),
    ("a table of columns", -1, idx([0, 1, 1, 1], [2, 2])),
]:
    case("Gather", title, [x(3, 2), i], take(axis), {"axis": axis} if axis else None)
case("Gather", "of a vector", [x(4), idx([3, 3, 0])], take(0))
case("Gather", "an element of a vector", [x(3), ints(2)], take(0))
case("Gather", "middle", [x(2, 3, 2), idx([2, 0, 2])], take(1), {"axis": 1})
case("Gather", "from rows of no length", [x(3, 0), idx([2, 0])], take(0))

wrapped = lambda i, n: torch.where(i < 0, i + n, i)
elements = lambda axis: lambda a, i: torch.gather(a, axis, wrapped(i, a.shape[axis]))
case("GatherElements", "first", [x(3, 2), idx([2, 0, 2, 1], [2, 2])], elements(0))
case("GatherElements", "last, negative", [x(2, 3), idx([-1, 0, 0, -2, -2, -2], [2, 3])], elements(1), {"axis": -1})
case("GatherElements", "fewer rows", [x(3, 3), ints([0, 2, 2], [1, 3])], elements(0), {"axis": 0})
case("GatherElements", "middle", [x(2, 3, 1), idx([2, 2, 0, 1], [2, 2, 1])], elements(1), {"axis": 1})
case("GatherElements", "no elements", [x(3, 2), idx([], [0, 2])], elements(0))


def places(i, dims, axes=0):
    """The indices of a GatherND or ScatterND as lists, negative ones counted from the end."""
    return [[p % n for p, n in zip(row, dims)] for row in i.reshape(-1, i.shape[-1]).tolist()]


def gather_nd(batch=0):
    def f(a, i):
        b = count(a.shape[:batch])
        flat, rows = a.reshape(b, *a.shape[batch:]), i.reshape(b, -1, i.shape[-1])
        taken = [flat[(k, *at)] for k in range(b) for at in places(rows[k], a.shape[batch:])]
        dims = (*i.shape[:-1], *a.shape[batch + i.shape[-1] :])
        return torch.stack(taken).reshape(dims) if taken else a.sum() * torch.zeros(dims, dtype=a.dtype)

    return f


case("GatherND", "rows", [x(3, 2), idx([2, 0, 2], [3, 1], shape=("K", 1))], gather_nd())
case("GatherND", "elements", [x(3, 2), idx([2, 0, 0, 1, 2, 0], [3, 2], shape=("K", 2))], gather_nd())
case("GatherND", "negative", [x(3, 2), idx([-1, -2, 0, -1], [2, 2], shape=("K", 2))], gather_nd())
case("GatherND", "a table of rows", [x(3, 2), idx([2, 1, 1, 0], [2, 2, 1], shape=("K", "M", 1))], gather_nd())
case("GatherND", "constant", [x(3, 2), ints([1, 1, 0], [3, 1])], gather_nd())
case("GatherND", "one index", [x(3, 2), idx([2], [1], shape=(1,))], gather_nd())
case("GatherND", "no indices", [x(3, 2), idx([], [0, 1], shape=("K", 1))], gather_nd())
case("GatherND", "in batches, elements", [x(2, 3), idx([2, 0], [2, 1], shape=("L2", 1))], gather_nd(1), {"batch_dims": 1})
case("GatherND", "in batches, rows", [x(2, 3, 2), idx([2, 0, 0, -1], [2, 2, 1], shape=("L2", "K", 1))], gather_nd(1), {"batch_dims": 1})
case("GatherND", "in batches, deep", [x(2, 2, 2), idx([1, 0, 0, 1], [2, 2], shape=("L2", 2))], gather_nd(1), {"batch_dims": 1})

COMBINE = {
    "none": lambda a, b: b,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": torch.maximum,
    "min": torch.minimum,
}


def scattered(a, targets, updates, reduction):
    """Element by element: flat places in `a`, and what goes there."""
    flat = list(a.reshape(-1).unbind())
    for at, update in zip(targets, updates.reshape(-1).unbind()):
        flat[at] = COMBINE[reduction](flat[at], update)
    return torch.stack(flat).reshape(a.shape)


def scatter_elements(axis, reduction="none"):
    def f(a, i, u):
        targets = []
        for at in itertools.product(*[range(n) for n in i.shape]):
            to = list(at)
            to[axis] = int(i[at]) % a.shape[axis]
            targets.append(int(np.ravel_multi_index(to, a.shape)))
        return scattered(a, targets, u, reduction)

    return f


def scatter_nd(reduction="none"):
    def f(a, i, u):
        inner = a.shape[i.shape[-1] :]
        targets = []
        for at in places(i, a.shape):
            for rest in itertools.product(*[range(n) for n in inner]):
                targets.append(int(np.ravel_multi_index([*at, *rest], a.shape)))
        return scattered(a, targets, u, reduction)

    return f


for r in COMBINE:
    kind = {} if r == "none" else {"reduction": r}
    case("ScatterElements", f"{r}, first", [x(3, 2), idx([2, 0, 0, -2], [2, 2]), x(2, 2)], scatter_elements(0, r), kind or None)
    case("ScatterElements", f"{r}, last", [x(2, 3), idx([2, 0, 0, 1], [2, 2]), x(2, 2)], scatter_elements(1, r), {"axis": 1, **kind})
    case("ScatterElements", f"{r}, nothing", [x(2, 2), idx([], [0, 2]), x(0, 2)], scatter_elements(0, r), kind or None)
    case("ScatterND", f"{r}, rows", [x(3, 2), idx([2, 0], [2, 1], shape=("K", 1)), x(2, 2)], scatter_nd(r), kind or None)
    case("ScatterND", f"{r}, elements", [x(3, 2), idx([2, 0, -3, 1], [2, 2], shape=("K", 2)), named(x(2), "K")], scatter_nd(r), kind or None)
    case("ScatterND", f"{r}, constant", [x(3), ints([1, 0], [2, 1]), x(2)], scatter_nd(r), kind or None)
    case("ScatterND", f"{r}, nothing", [x(2, 2), idx([], [0, 1], shape=("K", 1)), named(x(0, 2), "K", 2)], scatter_nd(r), kind or None)
    if r != "none":
        title = f"{r}, repeated"
        case("ScatterElements", title, [x(3), idx([2, 0, 2, 2]), x(4)], scatter_elements(0, r), kind)
        case("ScatterND", title, [x(2, 2), idx([1, 1, 0], [3, 1], shape=("K", 1)), x(3, 2)], scatter_nd(r), kind)
for r in ["max", "min"]:
    inputs = [given([1, 2, 3]), idx([0, 2]), given([1, 0.5])]
    case("ScatterElements", f"{r}, equals", inputs, scatter_elements(0, r), {"reduction": r}, note="equals share evenly")
    inputs = [given([1, 2, 3]), idx([0, 2], [2, 1], shape=("K", 1)), given([1, 0.5])]
    case("ScatterND", f"{r}, equals", inputs, scatter_nd(r), {"reduction": r}, note="equals share evenly")
inputs = [given([2, 0, 3]), idx([0, 1, 2]), given([0, 3, 0.5])]
case("ScatterElements", "mul, with 0", inputs, scatter_elements(0, "mul"), {"reduction": "mul"})
inputs = [const(x(3)), idx([2, 0, 2], [3, 1], shape=("K", 1)), x(3)]
case("ScatterND", "add, to a constant", inputs, scatter_nd("add"), {"reduction": "add"})
inputs = [x(3), idx([2, 0, 2], [3, 1], shape=("K", 1)), const(x(3))]
case("ScatterND", "add, of a constant", inputs, scatter_nd("add"), {"reduction": "add"})

BIG = 2**31 - 1
for title, dims, starts, ends, axes, steps in [
    ("rows", (4, 2), [1], [3], None, None),
    ("to the end", (4, 2), [1], [BIG], [0], None),
    ("up to int64's last", (4, 2), [2], [2**53 - 1], [0], None),
    ("from the end", (4, 2), [-2], [-1], [0], None),
    ("two axes", (3, 3), [0, 1], [2, 3], [0, 1], None),
    ("last axis", (2, 4), [1], [3], [-1], [1]),
    ("steps of 2", (5,), [0], [5], [0], [2]),
    ("steps of 2, from 1", (2, 5), [1], [BIG], [1], [2]),
    ("backwards", (4,), [3], [-BIG], [0], [-1]),
    ("backwards by 2", (2, 5), [-1], [-BIG], [1], [-2]),
    ("backwards, a part", (5,), [3], [0], [0], [-2]),
    ("nothing", (3, 2), [2], [1], [0], None),
    ("all of it", (3, 2), [0], [BIG], [0], [1]),
    ("beyond the start", (3,), [-100], [2], [0], None),
]:
    where_at = [slice(None)] * len(dims)
    for k, (start, end) in enumerate(zip(starts, ends)):
        where_at[axes[k] if axes else k] = (start, end, steps[k] if steps else 1)

    def sliced(a, *_):
        for axis, at in enumerate(where_at):
            if isinstance(at, tuple):
                picked = range(*slice(at[0], at[1], at[2]).indices(a.shape[axis]))
                a = a.index_select(axis, torch.tensor(list(picked), dtype=torch.int64))
        return a

    # ONNX clamps as Python does, but for an end before the start of a backward slice, which is -BIG here.
    rest = [ints(axes)] if axes else []
    rest += [ints(steps)] if steps else []
    case("Slice", title, [x(*dims), ints(starts), ints(ends), *rest], sliced)
    if title in ("rows", "from the end", "steps of 2", "backwards by 2"):
        free = [replace(i, constant=False, shape=i.dims) for i in [ints(starts), ints(ends)]]
        case("Slice", f"{title}, computed", [x(*dims), *free, *rest], sliced)

concat = lambda axis: lambda *a: torch.cat(a, axis)
case("Concat", "rows", [x(2, 2), x(1, 2), x(3, 2)], concat(0), {"axis": 0})
case("Concat", "columns", [x(2, 1), x(2, 2)], concat(-1), {"axis": -1})
case("Concat", "one is empty", [x(2, 2), x(0, 2)], concat(0), {"axis": 0})
case("Concat", "one", [x(2, 2)], concat(0), {"axis": 0})
case("Concat", "with itself", [x(2, 2), 0], concat(1), {"axis": 1})
case("Concat", "with a constant", [x(2, 2), const(x(2, 1)), x(2, 2)], concat(1), {"axis": 1})
case("Concat", "vectors", [x(2), x(3), x(1)], concat(0), {"axis": 0})

split = lambda sizes, axis=0: lambda a, *_: torch.split(a, sizes, axis)
case("Split", "by sizes", [x(4, 2), ints([1, 3])], split([1, 3]))
case("Split", "by sizes, last", [x(2, 4), ints([2, 0, 2])], split([2, 0, 2], 1), {"axis": -1})
case("Split", "evenly", [x(2, 4)], split([2, 2], 1), {"axis": 1, "num_outputs": 2})
case("Split", "unevenly", [x(5)], split([2, 2, 1]), {"num_outputs": 3})
case("Split", "one is not used", [x(4, 2), ints([1, 2, 1])], split([1, 2, 1]), skip=(1,))
case("Split", "first is not used", [x(2, 3), ints([1, 2])], split([1, 2], 1), {"axis": 1}, skip=(0,))


def padded(mode, pads, axes=None):
    def f(a, _=None, value=None, *__):
        where_to = axes if axes is not None else list(range(a.dim()))
        half = len(where_to)
        for k, axis in enumerate(where_to):
            n, before, after = a.shape[axis], pads[k], pads[k + half]
            low, high = max(0, -before), n - max(0, -after)
            a = a.narrow(axis, low, high - low)
            before, after = max(0, before), max(0, after)
            if mode == "constant":
                fill = lambda m: (0 if value is None else value.reshape(())) * torch.ones(
                    [*a.shape[:axis], m, *a.shape[axis + 1 :]], dtype=a.dtype)
                a = torch.cat([fill(before), a, fill(after)], axis)
                continue
            m = a.shape[axis]
            at = np.pad(np.arange(m), (before, after), mode=mode)
            a = a.index_select(axis, torch.tensor(at, dtype=torch.int64))
        return a

    return f


def pad(title, dims, pads, mode="constant", axes=None, value=None, opset=18, computed=False):
    inputs = [x(*dims), replace(ints(pads), constant=not computed, shape=(len(pads),) if computed else None)]
    if value is not None or axes is not None:
        inputs.append(value)
    if axes is not None:
        inputs.append(ints(axes))
    mean = padded(mode, pads, axes)
    case("Pad", title, inputs, mean, {"mode": mode} if mode != "constant" else None, opset=opset)


pad("zeros", (2, 3), [1, 0, 0, 2])
pad("a constant", (2, 2), [0, 1, 1, 0], value=const(given([1.5], [])))
pad("by the value too", (2, 2), [1, 1, 0, 1], value=x())
pad("some axes", (2, 3), [1, 2], axes=[1])
pad("negative", (3, 4), [-1, 1, 0, -2])
pad("negative only", (4,), [-1, -2])
pad("computed", (2, 2), [0, 1, 1, 0], computed=True)
pad("nothing", (2, 2), [0, 0, 0, 0])
pad("of nothing", (0, 2), [1, 0, 0, 0])
pad("reflect", (2, 4), [0, 2, 0, 3], "reflect")
pad("reflect, two axes", (3, 3), [1, 0, 2, 1], "reflect")
pad("edge", (2, 3), [1, 2, 0, 1], "edge")
pad("edge, some axes", (2, 3), [2, 1], "edge", axes=[-1])
pad("wrap", (2, 3), [0, 2, 1, 1], "wrap", opset=19)

# --- shapes --------------------------------------------------------------------------------------

reshape = lambda *dims: lambda a, *_: a.reshape(dims)
case("Reshape", "flat", [x(2, 3), ints([-1])], reshape(6))
case("Reshape", "0 and -1", [x(2, 3, 2), ints([0, -1])], reshape(2, 6))
case("Reshape", "to numbers", [static(x(2, 6)), ints([3, 4])], reshape(3, 4))
case("Reshape", "to a scalar", [x(1, 1), ints([], [0])], reshape())
case("Reshape", "computed", [x(2, 3), replace(ints([3, 2]), constant=False, shape=(2,))], reshape(3, 2))
case("Reshape", "no elements", [x(0, 3), ints([0, 3, 1])], reshape(0, 3, 1))
case("Reshape", "allowzero", [x(0, 3), ints([3, 0])], reshape(3, 0), {"allowzero": 1})
for axis, dims in {0: (1, 12), 1: (2, 6), -1: (6, 2), 3: (12, 1)}.items():
    case("Flatten", f"axis {axis}", [x(2, 3, 2)], reshape(*dims), {"axis": axis})
case("Flatten", "as it comes, no elements", [x(0, 2, 2)], reshape(0, 4))
case("Transpose", "as it comes", [x(2, 3)], lambda a: a.T)
case("Transpose", "a cycle", [x(2, 3, 1)], lambda a: a.permute(2, 0, 1), {"perm": [2, 0, 1]})
case("Transpose", "no elements", [x(0, 3)], lambda a: a.T)
case("Transpose", "scalar", [x()], lambda a: a * 1)
expanded = lambda *dims: lambda a, *_: torch.broadcast_to(a, dims)
case("Expand", "an axis", [x(1, 3), ints([2, 3])], expanded(2, 3))
case("Expand", "rank goes up", [x(3), ints([2, 1, 3])], expanded(2, 1, 3))
case("Expand", "where the shape has 1", [x(2, 1), ints([1, 3])], expanded(2, 3))
case("Expand", "lower rank", [x(2, 3), ints([1])], expanded(2, 3))
case("Expand", "scalar", [x(), ints([2, 2])], expanded(2, 2))
case("Expand", "computed", [named(x(1, 2), 1, "C"), replace(ints([3, 2]), constant=False, shape=(2,))], expanded(3, 2))
case("Expand", "a named length that is 1", [named(x(1, 2), "N", 2), replace(ints([3, 2]), constant=False, shape=(2,))], expanded(3, 2))
case("Expand", "to nothing", [x(1, 2), ints([0, 2])], expanded(0, 2))
case("Tile", "both axes", [x(2, 2), ints([2, 3])], lambda a, _: a.repeat(2, 3))
case("Tile", "once", [x(2, 2), ints([1, 1])], lambda a, _: a.repeat(1, 1))
case("Tile", "computed", [x(2, 2), replace(ints([1, 2]), constant=False, shape=(2,))], lambda a, _: a.repeat(1, 2))
case("Tile", "vector", [x(3), ints([2])], lambda a, _: a.repeat(2))
case("Tile", "no times", [x(2, 2), ints([0, 1])], lambda a, _: a.repeat(0, 1))
case("Squeeze", "axes", [x(1, 3, 1), ints([0, -1])], reshape(3))
case("Squeeze", "all", [static(x(1, 3, 1))], reshape(3))
case("Squeeze", "a named length that is 1", [named(x(1, 3), "N", 3), ints([0])], reshape(3))
case("Unsqueeze", "axes", [x(2, 3), ints([0, -1])], reshape(1, 2, 3, 1))
case("Unsqueeze", "scalar", [x(), ints([0])], reshape(1))
for exclusive, reverse in itertools.product([0, 1], [0, 1]):

    def summed(a, _, axis=1):
        b = a.flip(axis) if reverse else a
        y = torch.cumsum(b, axis) - (b if exclusive else 0)
        return y.flip(axis) if reverse else y

    flags = {"exclusive": exclusive, "reverse": reverse}
    case("CumSum", f"exclusive {exclusive}, reverse {reverse}", [x(2, 3), ints(1)], summed, flags)
case("CumSum", "first", [x(3, 2), ints(0)], lambda a, _: torch.cumsum(a, 0))
case("CumSum", "axis from the end", [x(2, 3), ints([-1])], lambda a, _: torch.cumsum(a, 1))
case("CumSum", "no elements", [x(0, 2), ints(0)], lambda a, _: torch.cumsum(a, 0))
for upper, k in itertools.product([0, 1], [None, -1, 1]):
    f = lambda a, *_: (torch.triu if upper else torch.tril)(a, k or 0)
    case("Trilu", f"upper {upper}, k {k or 0}", [x(3, 3) if k is None else x(2, 3)] + ([] if k is None else [ints(k)]), f, {"upper": upper})
case("Trilu", "batch", [x(2, 2, 2)], torch.triu)


def depth_to_space(size, mode):
    def f(a):
        n, c, h, w = a.shape
        if mode == "DCR":
            b = a.reshape(n, size, size, c // size**2, h, w).permute(0, 3, 4, 1, 5, 2)
        else:
            b = a.reshape(n, c // size**2, size, size, h, w).permute(0, 1, 4, 2, 5, 3)
        return b.reshape(n, c // size**2, h * size, w * size)

    return f


def space_to_depth(a, size=2):
    n, c, h, w = a.shape
    b = a.reshape(n, c, h // size, size, w // size, size).permute(0, 3, 5, 1, 2, 4)
    return b.reshape(n, c * size**2, h // size, w // size)


IMAGE = lambda *dims: replace(x(*dims), shape=("N", dims[1], *[f"D{i}" for i in range(len(dims) - 2)]))
for mode in ["DCR", "CRD"]:
    case("DepthToSpace", mode, [IMAGE(1, 8, 1, 2)], depth_to_space(2, mode), {"blocksize": 2, "mode": mode})
case("SpaceToDepth", "2", [IMAGE(1, 2, 2, 4)], space_to_depth, {"blocksize": 2})


def top_k(k, axis=-1, largest=1):
    def f(a, _):
        order = torch.sort(a.detach(), dim=axis, descending=bool(largest), stable=True).indices
        i = order.narrow(axis, 0, k)
        return torch.gather(a, axis, i), i

    return f


case("TopK", "2 of 4", [x(2, 4), ints([2])], top_k(2))
case("TopK", "smallest, first axis", [x(4, 2), ints([3])], top_k(3, 0, 0), {"axis": 0, "largest": 0})
case("TopK", "all", [x(3), ints([3])], top_k(3))
case("TopK", "none", [x(3), ints([0])], top_k(0))
case("TopK", "equals", [given([1, 3, 3, 3, 2])  , ints([2])], top_k(2), note="the first of equals")
case("TopK", "smallest equals", [given([1, 3, 1, 3, 1]), ints([2])], top_k(2, -1, 0), {"largest": 0}, note="the first of equals")

# --- convolution and pooling ---------------------------------------------------------------------

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def conv(title, a, w, bias=False, weights=False, strides=None, dilations=None, pads=None, group=1, auto=None):
    d = len(a) - 2
    stride, dilation, pad = strides or [1] * d, dilations or [1] * d, pads or [0] * 2 * d
    if auto:
        for k in range(d):
            total = max(0, (-(-a[2 + k] // stride[k]) - 1) * stride[k] + (w[2 + k] - 1) * dilation[k] + 1 - a[2 + k])
            small, large = total // 2, total - total // 2
            pad[k], pad[k + d] = (small, large) if auto == "SAME_UPPER" else (large, small)

    def f(a, w, b=None):
        edges = [p for k in reversed(range(d)) for p in (pad[k], pad[k + d])]
        return CONV[d](F.pad(a, edges), w, b, tuple(stride), 0, tuple(dilation), group)

    attributes = {k: v for k, v in dict(strides=strides, dilations=dilations, pads=None if auto else pads, auto_pad=auto).items() if v}
    if group != 1:
        attributes["group"] = group
    rest = [static(x(*w))] + ([static(x(w[0]))] if bias else [])
    case("Conv", title, [IMAGE(*a), *(map(const, rest) if weights else rest)], f, attributes)


conv("1d", (2, 2, 4), (3, 2, 2))
conv("1d, bias", (1, 2, 4), (2, 2, 3), bias=True)
conv("1d, strides that leave some out", (1, 1, 6), (2, 1, 2), strides=[3])
conv("1d, all", (1, 2, 7), (2, 1, 2), bias=True, strides=[2], dilations=[2], pads=[1, 2], group=2)
conv("2d", (1, 2, 3, 3), (2, 2, 2, 2))
conv("2d, bias, pads", (1, 1, 3, 2), (2, 1, 3, 2), bias=True, pads=[1, 0, 1, 1])
conv("2d, strides", (1, 1, 5, 4), (1, 1, 2, 2), strides=[2, 3])
conv("2d, dilations", (1, 1, 4, 5), (2, 1, 2, 2), dilations=[2, 3])
conv("2d, groups", (1, 4, 2, 3), (2, 2, 2, 2), group=2)
conv("2d, by channel", (2, 2, 3, 2), (4, 1, 2, 2), group=2, pads=[1, 1, 0, 0])
conv("2d, weights", (1, 2, 3, 3), (2, 2, 3, 3), bias=True, weights=True, pads=[1, 1, 1, 1])
conv("2d, of 1 by 1", (2, 2, 2, 2), (3, 2, 1, 1), bias=True)
conv("2d, same upper", (1, 1, 3, 4), (1, 1, 2, 3), strides=[2, 2], auto="SAME_UPPER")
conv("2d, same lower", (1, 1, 3, 4), (1, 1, 2, 2), auto="SAME_LOWER")
conv("2d, empty batch", (0, 1, 2, 2), (2, 1, 2, 2), bias=True)
conv("3d", (1, 1, 2, 3, 2), (2, 1, 2, 2, 2))
conv("3d, all", (1, 2, 2, 3, 3), (2, 1, 1, 2, 2), bias=True, strides=[1, 2, 1], dilations=[1, 1, 2], pads=[0, 1, 0, 1, 0, 1], group=2)


def conv_transpose(title, a, w, bias=False, weights=False, strides=None, dilations=None, pads=None, out=None, group=1):
    d = len(a) - 2

    def f(a, w, b=None):
        y = TRANSPOSED[d](a, w, None, tuple(strides or [1] * d), 0, tuple([0] * d), group, tuple(dilations or [1] * d))
        for k in range(d):
            size = y.shape[2 + k]
            y = F.pad(y, [0, 0] * (d - 1 - k) + [0, out[k] if out else 0])
            y = y.narrow(2 + k, (pads or [0] * 2 * d)[k], size + (out[k] if out else 0) - sum((pads or [0] * 2 * d)[k::d]))
        return y if b is None else y + b.reshape(1, -1, *[1] * d)

    given_ = dict(strides=strides, dilations=dilations, pads=pads, output_padding=out)
    attributes = {k: v for k, v in given_.items() if v}
    if group != 1:
        attributes["group"] = group
    rest = [static(x(*w))] + ([static(x(w[1] * group))] if bias else [])
    case("ConvTranspose", title, [IMAGE(*a), *(map(const, rest) if weights else rest)], f, attributes)


conv_transpose("1d", (2, 2, 3), (2, 2, 2))
conv_transpose("1d, strides, bias", (1, 2, 3), (2, 1, 3), bias=True, strides=[2])
conv_transpose("1d, all", (1, 2, 3), (2, 1, 2), bias=True, strides=[3], dilations=[2], pads=[1, 2], out=[1], group=2)
conv_transpose("2d", (1, 2, 2, 2), (2, 2, 2, 2), weights=True)
conv_transpose("2d, strides, pads", (1, 1, 2, 3), (1, 2, 3, 2), strides=[2, 1], pads=[1, 0, 1, 0])
conv_transpose("2d, groups", (1, 4, 2, 1), (4, 1, 2, 2), group=2)
conv_transpose("3d", (1, 1, 2, 1, 2), (1, 1, 2, 2, 2), strides=[1, 2, 1])


def windows(a, kernel, strides, pads, dilations, ceil, lacking):
    """The windows of a pooling: [N, C, out..., kernel], `lacking` where they reach over the edge; and which do not."""
    d = len(kernel)
    at, real = [], []
    for k in range(d):
        n, reach = a.shape[2 + k], dilations[k] * (kernel[k] - 1) + 1
        room = n + pads[k] + pads[k + d] - reach
        outs = (-(-room // strides[k]) if ceil else room // strides[k]) + 1
        if ceil and (outs - 1) * strides[k] >= n + pads[k]:
            outs -= 1
        at.append(torch.arange(outs)[:, None] * strides[k] - pads[k] + torch.arange(kernel[k]) * dilations[k])
        real.append(at[k])
    ok = torch.ones(())
    flat = torch.zeros((), dtype=torch.int64)
    counted = torch.ones(())
    for k in range(d):
        n = a.shape[2 + k]
        shape = [1] * (2 * d)
        shape[k], shape[d + k] = at[k].shape
        p = at[k].reshape(shape)
        ok = ok * ((p >= 0) & (p < n))
        counted = counted * ((p >= -pads[k]) & (p < n + pads[k + d]))
        flat = flat * n + p.clamp(0, n - 1)
    values = a.reshape(*a.shape[:2], -1)[:, :, flat]
    values = torch.where(ok.bool(), values, lacking)
    rows = lambda t: t.reshape(*t.shape[: t.dim() - d], -1)
    return rows(values), rows(ok.broadcast_to(flat.shape)), rows(counted.broadcast_to(flat.shape))


def pool(op, title, a, kernel, strides=None, pads=None, dilations=None, ceil=0, include=0, note=None):
    d = len(kernel)
    a = a if isinstance(a, Input) else IMAGE(*a)

    def f(b):
        parts = (kernel, strides or [1] * d, pads or [0] * 2 * d, dilations or [1] * d, ceil)
        values, ok, counted = windows(b, *parts, torch.tensor(-math.inf if op == "MaxPool" else 0.0, dtype=b.dtype))
        if op == "MaxPool":
            return torch.gather(values, -1, first_largest(values)).squeeze(-1)
        return values.sum(-1) / (counted if include else ok).sum(-1)

    attributes = dict(kernel_shape=kernel, strides=strides, pads=pads, dilations=dilations, ceil_mode=ceil, count_include_pad=include)
    attributes = {k: v for k, v in attributes.items() if v}
    case(op, title, [a], f, attributes, note=note, opset=19 if op == "AveragePool" and dilations else 18)


def first_largest(values):
    return torch.sort(values.detach(), dim=-1, descending=True, stable=True).indices.narrow(-1, 0, 1)


for op in ["MaxPool", "AveragePool"]:
    pool(op, "1d", (2, 2, 4), [2], strides=[2])
    pool(op, "1d, overlapping", (1, 2, 5), [3])
    pool(op, "2d", (1, 2, 4, 4), [2, 2], strides=[2, 2])
    pool(op, "2d, pads", (1, 1, 3, 3), [2, 3], strides=[2, 1], pads=[1, 1, 1, 1])
    pool(op, "2d, what is left over", (1, 1, 5, 4), [2, 2], strides=[2, 3])
    pool(op, "2d, ceil", (1, 1, 4, 5), [3, 2], strides=[2, 2], ceil=1)
    pool(op, "2d, dilations", (1, 1, 4, 4), [2, 2], dilations=[2, 1])
    pool(op, "3d", (1, 1, 2, 3, 2), [2, 2, 1], strides=[1, 1, 2])
pool("MaxPool", "equals", replace(given([1, 2, 2, 2, 1, 1, 3, 3], [1, 2, 4]), shape=("N", 2, "D")), [2], strides=[2], note="the first of equals")
pool("MaxPool", "overlapping equals", replace(given([1, 2, 2, 2, 1], [1, 1, 5]), shape=("N", 1, "D")), [3], note="the first of equals")
pool("AveragePool", "2d, pads count", (1, 1, 3, 3), [2, 3], strides=[2, 1], pads=[1, 1, 1, 1], include=1)
pool("AveragePool", "1d, pads count, ceil", (1, 1, 4), [3], strides=[2], pads=[1, 0], include=1, ceil=1)
for op, f in {"GlobalAveragePool": lambda a, axes: a.mean(axes, True), "GlobalMaxPool": lambda a, axes: a.amax(axes, True)}.items():
    case(op, "1d", [IMAGE(2, 2, 3)], lambda a: f(a, (2,)))
    case(op, "2d", [IMAGE(1, 3, 2, 2)], lambda a: f(a, (2, 3)))

path = Path(__file__).with_suffix(".jsonl")
path.write_text("\n".join(lines) + "\n")
print(f"{len(lines)} cases, {len({json.loads(l)['op'] for l in lines})} operators, {path.stat().st_size / 1000:.0f} kB")
