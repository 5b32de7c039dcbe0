"""Writes training_torch.jsonl beside this file: what PyTorch makes of training. Needs torch, numpy and onnx.

    python training_torch.py MODELS

MODELS is the folder of schnet_e.onnx and schnet_ref.json.

One case a line, each with its `case`. Floats are base64 of little-endian doubles, or 0 where all of it is 0, unless
they are few. Parameters and data are not in the file: `made` below makes them of a seed, and
tests/training/made_numbers.ts makes the same.

A run has 50 steps. The loss of a step is that before its update; `final` is what the parameters are after the last:
all numbers of a tensor, or every `every`-th of its flat order, and the sum of the squares of all. Each run is there in
float32 and in float64: how far these are apart says how far rounding leads. Layers are y = x Wᵀ + b, weights [out, in]
(convolutions [out, in, height, width]).
Data of step t of a run called mlp: x = made(data.seed + t, batch · 12, 1), and the label of a row is
floor((its first number + 1) · 5 / 2). The cnn and the schnet say theirs below.
"""

import base64
import json
import math
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "peers"))
import schnet_torch

torch.set_num_threads(1)
MODELS = Path(sys.argv[1])
STEPS, BATCH = 50, 32
TYPES = {"float32": torch.float32, "float64": torch.float64}
lines = []


def made(seed, count, scale):
    """Numbers in [-scale, scale): the finalizer of MurmurHash3 of seed + i * 0x9e3779b9, its upper 24 bits."""
    h = (seed + np.arange(count, dtype=np.uint64) * 0x9E3779B9).astype(np.uint32)
    h = (h ^ h >> 16) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> 13) * np.uint32(0xC2B2AE35)
    h = (h ^ h >> 16).view(np.int32) >> 8
    return (h * (2.0**-23 * scale)).astype(np.float32)


def tensor(seed, dims, scale, dtype=torch.float64):
    return torch.from_numpy(made(seed, math.prod(dims), scale)).reshape(dims).to(dtype)


def encoded(values):
    array = np.asarray(values.detach() if torch.is_tensor(values) else values, "<f8")
    assert np.isfinite(array).all()
    return 0 if (array == 0).all() else base64.b64encode(array.tobytes()).decode()


def line(case, **told):
    lines.append(json.dumps({"case": case, **told}, separators=(",", ":"), ensure_ascii=False))


# --- numbers -------------------------------------------------------------------------------------

for seed, scale in [(0, 1), (7, 0.5), (2**32 - 1, 4)]:
    line("numbers", seed=seed, scale=scale, values=made(seed, 8, scale).tolist())

# --- runs ----------------------------------------------------------------------------------------


class Parameters:
    """Named tensors that are trained, and how each is made: {name: (dims, seed, scale)}."""

    def __init__(self, recipe):
        self.recipe = recipe

    def described(self):
        return [dict(name=n, dims=d, seed=s, scale=c) for n, (d, s, c) in self.recipe.items()]

    def tensors(self, dtype):
        return {n: tensor(s, d, c, dtype).requires_grad_() for n, (d, s, c) in self.recipe.items()}


MLP = Parameters({
    "w1": ((16, 12), 1, 0.5),
    "b1": ((16,), 2, 0.5),
    "w2": ((16, 16), 3, 0.5),
    "b2": ((16,), 4, 0.5),
    "w3": ((5, 16), 5, 0.5),
    "b3": ((5,), 6, 0.5),
})


def mlp_loss(p, batch):
    x, labels = batch
    h = torch.tanh(F.linear(x, p["w1"], p["b1"]))
    h = torch.relu(F.linear(h, p["w2"], p["b2"]))
    return F.cross_entropy(F.linear(h, p["w3"], p["b3"]), labels)


def mlp_data(t, dtype):
    x = tensor(1000 + t, (BATCH, 12), 1, dtype)
    return x, torch.floor((x[:, 0].double() + 1) * 5 / 2).long()


def kept(values, every):
    flat = values.detach().double().flatten()
    return {"values": encoded(flat[::every]), "squares": (flat @ flat).item()}


def parts(of, count):
    return of.chunk(count) if torch.is_tensor(of) else of


def run(dtype, parameters, optimize, data, loss_of, *, accumulate=1, schedule=None, clip=None, ema=None, every=1):
    """What 50 steps come to: the micro-batches of a step are equal parts of its batch, in order."""
    p = parameters.tensors(dtype)
    optimizer = optimize(p.values())
    scheduler = schedule and schedule(optimizer)
    average = {name: value.detach().clone() for name, value in p.items()}
    losses, norms, rates = [], [], []
    for t in range(STEPS):
        optimizer.zero_grad()
        whole = 0
        for part in zip(*(parts(each, accumulate) for each in data(t, dtype))):
            loss = loss_of(p, part) / accumulate
            loss.backward()
            whole += loss.item()
        losses.append(whole)
        if clip is not None:
            norms.append(torch.nn.utils.clip_grad_norm_(p.values(), clip).item())
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if scheduler:
            scheduler.step()
        if ema is not None:
            for name, value in p.items():
                average[name].mul_(ema).add_(value.detach(), alpha=1 - ema)
    out = {"losses": encoded(losses)}
    if clip is not None:
        out["norms"] = encoded(norms)
    if schedule:
        out["rates"] = encoded(rates)
    out["final"] = {name: kept(value, every) for name, value in p.items()}
    if ema is not None:
        out["ema"] = {name: kept(value, every) for name, value in average.items()}
    return out


def runs(case, parameters, optimize, data, loss_of, told, every=1, **more):
    both = {name: run(dtype, parameters, optimize, data, loss_of, every=every, **more) for name, dtype in TYPES.items()}
    line(case, parameters=parameters.described(), steps=STEPS, every=every, **told, **both)


def mlp(case, optimizer, options, told=None, **more):
    def optimize(parameters):
        return optimizer(parameters, **options)

    about = dict(batch=BATCH, data=dict(seed=1000), optimizer=optimizer.__name__, options=options, **(told or {}))
    runs(case, MLP, optimize, mlp_data, mlp_loss, about, **more)


SGD, Adam, AdamW = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
schedulers = torch.optim.lr_scheduler
mlp("mlp adam", Adam, dict(lr=1e-2))
mlp("mlp sgd", SGD, dict(lr=1e-1, momentum=0.9, nesterov=True, weight_decay=1e-3))
mlp("mlp adam accumulated", Adam, dict(lr=1e-2), dict(accumulate=2), accumulate=2)

cycle = dict(max_lr=1e-2, total_steps=STEPS, pct_start=0.3, anneal_strategy="cos", div_factor=25.0, final_div_factor=1e4,
             cycle_momentum=False)
# The average begins as the parameters do, and after each step is ema · average + (1 − ema) · parameters.
mlp("mlp adamw", AdamW, dict(lr=1e-2, weight_decay=0.05), dict(clip=0.5, ema=0.95, cycle=cycle), clip=0.5, ema=0.95,
    schedule=lambda o: schedulers.OneCycleLR(o, **cycle))

CNN = Parameters({
    "w1": ((4, 1, 3, 3), 11, 1),
    "b1": ((4,), 12, 0.5),
    "w2": ((8, 4, 3, 3), 13, 0.5),
    "b2": ((8,), 14, 0.5),
    "w3": ((3, 8), 15, 1),
    "b3": ((3,), 16, 0.5),
})


def cnn_loss(p, batch):
    """The first convolution is padded by 1, the second is not."""
    x, labels = batch
    h = F.max_pool2d(torch.relu(F.conv2d(x, p["w1"], p["b1"], padding=1)), 2)
    h = torch.relu(F.conv2d(h, p["w2"], p["b2"])).mean((2, 3))
    return F.cross_entropy(F.linear(h, p["w3"], p["b3"]), labels)


def cnn_data(t, dtype, batch=16):
    """Of the numbers of labels, made(data.labels + t, batch, 1), the labels; images are fainter by 2 to their label."""
    labels = torch.floor((tensor(3000 + t, (batch,), 1) + 1) * 3 / 2).long()
    x = tensor(2000 + t, (batch, 1, 8, 8), 1, dtype)
    return x * 2.0 ** -labels.reshape(-1, 1, 1, 1).to(dtype), labels


RATES = dict(lr=1e-2, weight_decay=0.05)
runs("cnn adamw", CNN, lambda p: AdamW(p, **RATES), cnn_data, cnn_loss,
     dict(batch=16, data=dict(seed=2000, labels=3000), optimizer="AdamW", options=RATES))

# --- forces --------------------------------------------------------------------------------------


class Schnet:
    """The weights of the file. `mu` and the other constants are not trained."""

    def __init__(self):
        stored = onnx.load(MODELS / "schnet_e.onnx").graph.initializer
        self.stored = {i.name: torch.tensor(onnx.numpy_helper.to_array(i)) for i in stored}
        self.trained = [name for name in self.stored if name.endswith((".weight", ".bias"))]

    def described(self):
        return self.trained

    def tensors(self, dtype):
        return {name: self.stored[name].to(dtype, copy=True).requires_grad_() for name in self.trained}


def reference(of, name):
    told = json.loads((MODELS / "schnet_ref.json").read_text())[of][name]
    array = np.frombuffer(base64.b64decode(told["b64"]), told["type"])
    return torch.from_numpy(array.reshape(told["dims"]).copy())


OF_FORCES, INPUTS = 10, ["positions", "z", "edge_index", "shifts", "batch_idx", "energy0"]
schnet = Schnet()
targets = {}
for name, seed in [("energy", 41), ("forces", 42)]:
    right = reference("outputs", name)
    targets[name] = (right + tensor(seed, right.shape, 0.1)).float()


def schnet_data(t, dtype):
    """One batch, the same for each step."""
    as_asked = lambda one: one.to(dtype) if one.is_floating_point() else one
    inputs = {name: as_asked(reference("inputs", name)) for name in INPUTS}
    return ([inputs], [{name: value.to(dtype) for name, value in targets.items()}])


def schnet_loss(p, batch):
    inputs, wanted = batch
    centres = {"mu": schnet.stored["mu"].to(inputs["positions"].dtype)}
    return schnet_torch.loss({**p, **centres}, inputs, wanted, OF_FORCES)


# The loss is the mean square of what energies are off, and `ofForces` times that of the components of forces.
options = dict(lr=1e-3)
runs("schnet adam", schnet, lambda p: Adam(p, **options), schnet_data, schnet_loss,
     dict(model="schnet_e.onnx", inputs="schnet_ref.json", ofForces=OF_FORCES, optimizer="Adam", options=options,
          targets={name: encoded(value) for name, value in targets.items()}), every=16)

# --- optimizers alone ----------------------------------------------------------------------------


class Lion(torch.optim.Optimizer):
    """As in the paper, arXiv:2302.06675: the sign of a mean of momentum and gradient; decay apart from both."""

    def __init__(self, parameters, lr, betas, weight_decay):
        super().__init__(parameters, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                u = torch.sign(b1 * m + (1 - b1) * p.grad)
                p -= group["lr"] * (u + group["weight_decay"] * p)
                m.copy_(b2 * m + (1 - b2) * p.grad)


def trajectory(dtype, optimizer, options, steps=20):
    p = tensor(21, (7,), 1, dtype).requires_grad_()
    one = optimizer([p], **options)
    at = []
    for t in range(steps):
        p.grad = tensor(100 + t, (7,), 1, dtype)
        one.step()
        at.append(p.detach().clone())
    return encoded(torch.stack(at))


ADAM = dict(lr=1e-2, betas=(0.9, 0.999), eps=1e-8)
ALONE = {
    "plain": (SGD, dict(lr=0.1)),
    "momentum": (SGD, dict(lr=0.1, momentum=0.9)),
    "dampening": (SGD, dict(lr=0.1, momentum=0.9, dampening=0.5)),
    "nesterov": (SGD, dict(lr=0.1, momentum=0.9, nesterov=True)),
    "weight decay": (SGD, dict(lr=0.1, weight_decay=0.1)),
    "momentum, weight decay": (SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.1)),
    "as it comes": (Adam, ADAM),
    "other betas and eps": (Adam, dict(lr=1e-2, betas=(0.5, 0.75), eps=1e-2)),
    "weight decay by the gradient": (Adam, {**ADAM, "weight_decay": 0.1}),
    "weight decay apart": (AdamW, {**ADAM, "weight_decay": 0.1}),
    "the sign": (Lion, dict(lr=1e-2, betas=(0.9, 0.99), weight_decay=0)),
    "the sign, weight decay": (Lion, dict(lr=1e-2, betas=(0.9, 0.99), weight_decay=0.1)),
}
for name, (optimizer, options) in ALONE.items():
    both = {type: trajectory(dtype, optimizer, options) for type, dtype in TYPES.items()}
    about = dict(optimizer=optimizer.__name__, options=options)
    line("optimizer", name=name, **about, start=dict(seed=21, scale=1), gradients=dict(seed=100, scale=1), count=7, **both)

# --- schedules -----------------------------------------------------------------------------------

EPOCHS, RATE = 60, 0.1


def rates(of, losses=None, momentum=0.0):
    """lr (and momentum) of each epoch: the scheduler steps at its end, by the loss where there is one."""
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=RATE, momentum=momentum)
    scheduler = of(optimizer)
    found = []
    for t in range(EPOCHS):
        group = optimizer.param_groups[0]
        found.append([group["lr"], group["momentum"]])
        optimizer.step()
        scheduler.step(*([] if losses is None else [losses[t]]))
    return np.array(found).T


def cosine(t, low, epochs):
    return low + (RATE - low) * (1 + math.cos(math.pi * t / epochs)) / 2


def schedule(name, of, options, closed=None, note=None):
    found = rates(of)[0]
    if closed:
        assert np.allclose(found, closed, rtol=1e-11, atol=1e-14), name
        found = closed
    told = {"note": note} if note else {}
    line("schedule", name=name, lr=RATE, options=options, rates=encoded(found), **told)


schedule("constant", lambda o: schedulers.LambdaLR(o, lambda _: 1), {})
linear = dict(start_factor=0.1, end_factor=1.0, total_iters=10)
schedule("linear", lambda o: schedulers.LinearLR(o, **linear), linear)
annealed = dict(T_max=50, eta_min=0.1 * RATE)
schedule("cosine", lambda o: schedulers.CosineAnnealingLR(o, **annealed), annealed,
         [cosine(t, 0.1 * RATE, 50) for t in range(EPOCHS)], "as PyTorch's, it rises again after T_max")


def warm_cosine(o, warm=5):
    first = schedulers.LinearLR(o, start_factor=0.1, total_iters=warm)
    return schedulers.SequentialLR(o, [first, schedulers.CosineAnnealingLR(o, EPOCHS - warm)], [warm])


schedule("warm-up and cosine", warm_cosine, dict(warm=5, start_factor=0.1, T_max=EPOCHS - 5, eta_min=0),
         [RATE * (0.1 + 0.9 * t / 5) if t < 5 else cosine(t - 5, 0, EPOCHS - 5) for t in range(EPOCHS)],
         "lr itself first at epoch 5")
for name, of, options in [
    ("milestones", schedulers.MultiStepLR, dict(milestones=[10, 30], gamma=0.3)),
    ("steps", schedulers.StepLR, dict(step_size=7, gamma=0.5)),
    ("exponential", schedulers.ExponentialLR, dict(gamma=0.9)),
]:
    schedule(name, lambda o: of(o, **options), options)
plateau = dict(mode="min", factor=0.5, patience=3, threshold=1e-3, threshold_mode="rel", cooldown=2, min_lr=0, eps=1e-8)
# Falls, stays within the threshold, falls once more, stays.
fed = [max(1 - t / 32, 0.625) - (0.25 if t >= 40 else 0) for t in range(EPOCHS)]
fed = [a + b for a, b in zip(fed, made(31, EPOCHS, 2.0**-13).tolist())]
line("schedule", name="plateau", lr=RATE, options=plateau, losses=encoded(fed),
     rates=encoded(rates(lambda o: schedulers.ReduceLROnPlateau(o, **plateau), fed)[0]),
     note="the loss of an epoch decides of the rate of the next")
cycle = dict(max_lr=RATE, total_steps=EPOCHS, pct_start=0.3, anneal_strategy="cos", div_factor=25.0, final_div_factor=1e4,
             cycle_momentum=True, base_momentum=0.85, max_momentum=0.95)
found = rates(lambda o: schedulers.OneCycleLR(o, **cycle), momentum=0.9)
line("schedule", name="one cycle", lr=RATE, options=cycle, rates=encoded(found[0]), momenta=encoded(found[1]))

# --- losses and metrics --------------------------------------------------------------------------


def judged(name, prediction, target, f, options=None):
    """A loss of float64, and its gradient by the prediction."""
    prediction = prediction.double().clone().requires_grad_()  # of its own: gradients add up
    value = f(prediction, target)
    value.backward()
    line("loss", name=name, options=options or {}, dims=list(prediction.shape), prediction=encoded(prediction),
         targetDims=list(target.shape), target=encoded(target), value=value.item(), gradient=encoded(prediction.grad))


wide, right = tensor(51, (4, 3), 2), tensor(52, (4, 3), 2)
right[0, 0], right[2, 1] = wide[0, 0], wide[2, 1]  # the absolute value has the derivative 0 there
judged("mean square", wide, right, F.mse_loss)
judged("mean absolute", wide, right, F.l1_loss)
judged("huber", wide, right, lambda y, t: F.huber_loss(y, t, delta=0.7), dict(delta=0.7))
logits, far = tensor(53, (6, 5), 4), tensor(54, (6, 5), 1024)
classes, some = torch.tensor([0, 4, 2, 2, 1, 3]), torch.tensor([0, -100, 2, 2, -100, 3])
for name, y, labels, options in [
    ("cross entropy", logits, classes, {}),
    ("cross entropy, far apart", far, classes, {}),
    ("cross entropy, some ignored", logits, some, dict(ignore_index=-100)),
    ("cross entropy, smoothed", logits, classes, dict(label_smoothing=0.1)),
    ("cross entropy, smoothed, some ignored", logits, some, dict(ignore_index=-100, label_smoothing=0.1)),
    ("cross entropy, along an axis", tensor(55, (2, 5, 3), 4), classes.reshape(2, 3), {}),
]:
    judged(name, y, labels, lambda y, t: F.cross_entropy(y, t, **options), options)
for name, labels in [("accuracy", classes), ("accuracy, some ignored", some)]:
    counted = labels != -100
    hit = (logits.argmax(1) == labels)[counted]
    assert 0 < hit.double().mean() < 1
    line("metric", name=name, dims=list(logits.shape), prediction=encoded(logits), target=labels.tolist(),
         value=hit.double().mean().item())

path = Path(__file__).with_suffix(".jsonl")
path.write_text("\n".join(lines) + "\n")
print(f"{len(lines)} lines, {path.stat().st_size / 1000:.0f} kB")
