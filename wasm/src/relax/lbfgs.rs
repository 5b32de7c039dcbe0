//! L-BFGS. Products are f32, their sums f64 and always in the same order. Products beyond f32 are computed again in f64.

use core::slice;

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{D2, F4};
use crate::xyz::{padded, Xyz};

/// Which is where, and what is asked for: src/kernels/relax/lbfgs_step.ts says what they are.
const CURVATURE: usize = 0;
const DAMPING: usize = 1;
const MAX_STEP: usize = 2;
const STORED: usize = 0;
const SLOT: usize = 1;
const TRIES: usize = 2;
const SCALE: usize = 0;
const ENERGY: usize = 1;
const SLOPE: usize = 2;
const THREE: usize = 3;
const DECREASE: f64 = 1e-4;
const BACK: f64 = 0.8;
const NOISE: f64 = 1e-6;
const LEAST: f64 = 0.1;
const MOST: f64 = 0.5;
const MOST_TRIES: i32 = 10;
const LEAST_COSINE: f64 = 1e-8;

/// See src/kernels/relax/lbfgs_step.ts.
pub fn lbfgs_step(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let forces = args.read::<f32>(1);
    let energy = args.optional::<f64>(2);
    let history = args.change::<f32>(3);
    let memory = args.change::<f64>(4);
    let counts = args.change::<i32>(5);
    let parameters = args.read::<f64>(6);
    let rows = args.number(7) as usize + 1;
    let mut cells = args.optional::<f32>(8).zip(args.optional::<f32>(9)).zip(args.optional::<f32>(10));
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        let cell = cells.as_mut().map(|((x, f), history)| {
            Part::new(&mut x[9 * s..9 * s + 9], &f[9 * s..9 * s + 9], &mut history[18 * rows * s..][..18 * rows])
        });
        let mut system = System {
            atoms: Part::new(
                &mut positions[from..to],
                &forces[from..to],
                &mut history[2 * rows * from..2 * rows * to],
            ),
            cell,
            rows,
            memory: &mut memory[(rows + THREE) * s..][..rows + THREE],
            counts: &mut counts[THREE * s..][..THREE],
            parameters: &parameters[THREE * s..][..THREE],
            energy: energy.as_ref().map(|energy| energy[s]),
        };
        if system.is_too_far() {
            system.go_back();
        } else {
            system.keep_pair();
            let direction = system.find_direction();
            system.go(direction);
        }
    }
}

/// Numbers that are moved, those of the atoms or of the cell: where they are, what drives them, and their rows.
struct Part<'a> {
    x: &'a mut [f32],
    f: &'a [f32],
    history: &'a mut [f32],
}

impl<'a> Part<'a> {
    fn new(x: &'a mut [f32], f: &'a [f32], history: &'a mut [f32]) -> Self {
        Self { x, f, history }
    }

    fn row(&self, i: usize) -> &[f32] {
        let n = self.x.len();
        &self.history[i * n..(i + 1) * n]
    }

    /// A row to be changed, and another one to be read.
    fn two(&mut self, changed: usize, read: usize) -> (&mut [f32], &[f32]) {
        debug_assert!(changed != read);
        let n = self.x.len();
        let (to, from) = (self.row(changed).as_ptr(), self.row(read).as_ptr());
        // Two rows have nothing in common.
        unsafe { (slice::from_raw_parts_mut(to.cast_mut(), n), slice::from_raw_parts(from, n)) }
    }

    fn change(&mut self, i: usize) -> (&mut [f32], &mut [f32], &[f32]) {
        let n = self.x.len();
        (&mut self.history[i * n..(i + 1) * n], self.x, self.f)
    }
}

/// Where a step goes: the row of the step is to be multiplied by `unit`, and has then this product with the forces.
struct Direction {
    unit: f64,
    downhill: f64,
}

/// One system of the batch. Row i has the step of slot i, row `rows` + i the change of the forces.
struct System<'a> {
    atoms: Part<'a>,
    cell: Option<Part<'a>>,
    rows: usize,
    memory: &'a mut [f64],
    counts: &'a mut [i32],
    parameters: &'a [f64],
    energy: Option<f64>,
}

impl<'a> System<'a> {
    fn is_too_far(&self) -> bool {
        let tries = self.counts[TRIES];
        let Some(energy) = self.energy else { return false };
        if tries == 0 || tries >= MOST_TRIES {
            return false;
        }
        let (before, slope) = (self.noted(ENERGY), self.noted(SLOPE));
        let rise = energy - before;
        if rise <= -DECREASE * slope {
            return false;
        }
        let slot = self.slot();
        let forward = self.sum(|part| dot(part.row(slot), part.f));
        !(rise.abs() <= NOISE * before.abs() && forward >= -BACK * slope)
    }

    fn go_back(&mut self) {
        let slope = self.noted(SLOPE);
        let rise = self.energy.unwrap_or(0.0) - self.noted(ENERGY);
        let lowest = slope / (2.0 * (rise + slope));
        let part = if lowest > LEAST { lowest.min(MOST) } else { LEAST };
        let slot = self.slot();
        self.each(|one| {
            let (step, x, _) = one.change(slot);
            for (x, step) in x.iter_mut().zip(step) {
                *x += (part - 1.0) as f32 * *step;
                *step *= part as f32;
            }
        });
        self.note(SLOPE, part * slope);
        self.counts[TRIES] += 1;
    }

    fn keep_pair(&mut self) {
        if self.counts[TRIES] == 0 {
            return;
        }
        let (slot, rows) = (self.slot(), self.rows);
        let (mut sy, mut ss, mut yy) = (0.0, 0.0, 0.0);
        self.each(|part| {
            let f = part.f;
            let (y, s) = part.two(rows + slot, slot);
            let products = difference(y, f, s);
            sy += products[0];
            ss += products[1];
            yy += products[2];
        });
        if ss == 0.0 {
            self.counts[STORED] = 0;
        }
        if !(sy > LEAST_COSINE * (ss * yy).sqrt()) {
            return;
        }
        self.memory[slot] = 1.0 / sy;
        self.note(SCALE, sy / yy);
        self.counts[STORED] = (self.counts[STORED] + 1).min(rows as i32 - 1);
        self.counts[SLOT] = ((slot + 1) % rows) as i32;
    }

    /// Leaves it in the row of the step.
    fn find_direction(&mut self) -> Direction {
        let (slot, rows) = (self.slot(), self.rows);
        let stored = self.counts[STORED] as usize;
        if stored == 0 {
            return self.descend();
        }
        let unit = self.noted(SCALE);
        let mut parts = [0.0; MOST_STORED];
        let at = |i: usize| if slot >= i { slot - i } else { slot + rows - i };
        // Each pass adds one row and multiplies with the next: what is moved is gone through once for both.
        let mut product = 0.0;
        self.each(|part| {
            let f = part.f;
            let (step, s) = part.two(slot, at(1));
            product += copy_and_dot(step, f, s);
        });
        for i in 1..=stored {
            let part = self.memory[at(i)] * product;
            parts[i - 1] = part;
            let next = if i < stored { at(i + 1) } else { rows + at(i) };
            product = self.add(rows + at(i), -part, Some(next));
        }
        for i in (1..=stored).rev() {
            let part = parts[i - 1] / unit - self.memory[at(i)] * product;
            let next = if i > 1 { Some(rows + at(i - 1)) } else { None };
            product = self.add(at(i), part, next);
        }
        let downhill = unit * product;
        if downhill > 0.0 && downhill < f64::INFINITY {
            return Direction { unit, downhill };
        }
        self.counts[STORED] = 0;
        self.descend()
    }

    /// The step goes where the forces point.
    fn descend(&mut self) -> Direction {
        let (slot, unit) = (self.slot(), 1.0 / self.parameters[CURVATURE]);
        let mut product = 0.0;
        self.each(|part| {
            let (step, _, f) = part.change(slot);
            step.copy_from_slice(f);
            product += dot(f, f);
        });
        Direction { unit, downhill: unit * product }
    }

    fn go(&mut self, Direction { unit, downhill }: Direction) {
        let (slot, rows) = (self.slot(), self.rows);
        let damping = self.parameters[DAMPING];
        let whole = damping * unit;
        let of_cell = self.cell.as_ref().map_or(0.0, |cell| dot(cell.row(slot), cell.row(slot)).sqrt());
        let reach = (self.atoms.x.len() / 3).max(1) as f64;
        let far = whole * longest(self.atoms.row(slot)).max(of_cell / reach.sqrt());
        let limit = self.parameters[MAX_STEP];
        let cut = if far > limit { limit / far } else { 1.0 };
        let length = whole * cut;
        self.note(SLOPE, damping * cut * downhill);
        self.note(ENERGY, self.energy.unwrap_or(0.0));
        self.each(|part| {
            let (step, x, f) = part.change(slot);
            for (x, step) in x.iter_mut().zip(step) {
                let before = *x;
                *x += length as f32 * *step;
                *step = *x - before;
            }
            let n = f.len();
            part.history[(rows + slot) * n..(rows + slot + 1) * n].copy_from_slice(part.f);
        });
        self.counts[TRIES] = 1;
    }

    fn slot(&self) -> usize {
        self.counts[SLOT] as usize
    }

    fn noted(&self, which: usize) -> f64 {
        self.memory[self.rows + which]
    }

    fn note(&mut self, which: usize, value: f64) {
        self.memory[self.rows + which] = value;
    }

    fn each(&mut self, mut work: impl FnMut(&mut Part<'a>)) {
        work(&mut self.atoms);
        if let Some(cell) = &mut self.cell {
            work(cell);
        }
    }

    fn sum(&self, of: impl Fn(&Part<'a>) -> f64) -> f64 {
        of(&self.atoms) + self.cell.as_ref().map_or(0.0, &of)
    }

    /// The step += part · row; its product with another row then, or with the forces.
    #[inline(always)]
    fn add(&mut self, row: usize, part: f64, next: Option<usize>) -> f64 {
        let slot = self.slot();
        let mut product = 0.0;
        self.each(|one| {
            let next = next.map_or(one.f.as_ptr(), |next| one.row(next).as_ptr());
            let (step, row) = one.two(slot, row);
            let next = unsafe { slice::from_raw_parts(next, row.len()) };
            product += add_and_dot(step, row, part as f32, next);
        });
        product
    }
}

/// As many pairs may be kept.
const MOST_STORED: usize = 128;

/// Σ over k of what `product` gives for four numbers from k on, or for one.
#[inline(always)]
fn sum_over(n: usize, mut four: impl FnMut(usize) -> F4, mut one: impl FnMut(usize) -> f32) -> f64 {
    let mut sums = [D2::splat(0.0); 2];
    let mut add = |product: F4| sums = [sums[0] + product.low(), sums[1] + product.high()];
    let (blocks, whole) = (n & !15, n & !3);
    for k in (0..blocks).step_by(16) {
        let (a, b, c, d) = (four(k), four(k + 4), four(k + 8), four(k + 12));
        add((a + b) + (c + d));
    }
    for k in (blocks..whole).step_by(4) {
        add(four(k));
    }
    let rest: f64 = (whole..n).map(|k| one(k) as f64).sum();
    (sums[0] + sums[1]).sum() + rest
}

/// Σ a b.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    // `b` is as long as `a`.
    let four = |k: usize| unsafe { F4::load(a.as_ptr().add(k)) * F4::load(b.as_ptr().add(k)) };
    let sum = sum_over(a.len(), four, |k| a[k] * b[k]);
    if sum.is_finite() { sum } else { dot_f64(a, b) }
}

#[cold]
fn dot_f64(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| a as f64 * b as f64).sum()
}

/// a = b; Σ a c.
fn copy_and_dot(a: &mut [f32], b: &[f32], c: &[f32]) -> f64 {
    a.copy_from_slice(b);
    dot(b, c)
}

/// a += part b; Σ a c.
#[inline(always)]
fn add_and_dot(a: &mut [f32], b: &[f32], part: f32, c: &[f32]) -> f64 {
    let to = a.as_mut_ptr();
    let part4 = F4::splat(part);
    // All are of one length.
    let four = |k: usize| unsafe {
        let sum = F4::load(to.add(k)) + part4 * F4::load(b.as_ptr().add(k));
        sum.store(to.add(k));
        sum * F4::load(c.as_ptr().add(k))
    };
    let one = |k: usize| unsafe {
        *to.add(k) += part * b[k];
        *to.add(k) * c[k]
    };
    sum_over(a.len(), four, one)
}

/// a = a - b; Σ a c, Σ c², Σ a².
fn difference(a: &mut [f32], b: &[f32], c: &[f32]) -> [f64; 3] {
    let whole = a.len() & !3;
    let mut sums = [[D2::splat(0.0); 2]; 3];
    for k in (0..whole).step_by(4) {
        // All are of one length.
        let (a, c) = unsafe {
            let difference = F4::load(a.as_ptr().add(k)) - F4::load(b.as_ptr().add(k));
            difference.store(a.as_mut_ptr().add(k));
            (difference, F4::load(c.as_ptr().add(k)))
        };
        for (sums, product) in sums.iter_mut().zip([a * c, c * c, a * a]) {
            *sums = [sums[0] + product.low(), sums[1] + product.high()];
        }
    }
    let mut all = sums.map(|sums| (sums[0] + sums[1]).sum());
    for k in whole..a.len() {
        a[k] -= b[k];
        for (sum, product) in all.iter_mut().zip([a[k] * c[k], c[k] * c[k], a[k] * a[k]]) {
            *sum += product as f64;
        }
    }
    all
}

/// The length of the longest vector.
fn longest(vectors: &[f32]) -> f64 {
    let fours = vectors.chunks_exact(12);
    let rest: [f32; 12] = padded(fours.remainder(), 0.0);
    let square = |four: &[f32]| unsafe { Xyz::load(four.as_ptr()) }.square();
    let largest = fours.fold(square(&rest), |largest, four| largest.greater(square(four))).to_array();
    let square = largest.into_iter().fold(0.0, f32::max);
    if square < f32::INFINITY { (square as f64).sqrt() } else { longest_f64(vectors) }
}

#[cold]
fn longest_f64(vectors: &[f32]) -> f64 {
    vectors.chunks_exact(3).map(|v| dot_f64(v, v)).fold(0.0, f64::max).sqrt()
}
