//! Convergence.

use crate::args::Args;
use crate::frame::{Frame, HALT};

const NODE: f64 = 0.0;

/// How numbers become one; src/kernels/converge/criterion.ts has the same.
#[derive(Clone, Copy)]
enum Reduce {
    Max,
    Min,
    Norm,
    Mean,
    Sum,
}

impl Reduce {
    fn new(code: f64) -> Self {
        match code as i32 {
            1 => Self::Min,
            3 => Self::Norm,
            4 => Self::Mean,
            5 => Self::Sum,
            _ => Self::Max,
        }
    }

    fn of<T: Copy + Into<f64>>(self, values: &[T]) -> f64 {
        let all = values.iter().map(|&x| x.into());
        match self {
            Self::Max => all.fold(f64::NEG_INFINITY, larger),
            Self::Min => -all.map(|x| -x).fold(f64::NEG_INFINITY, larger),
            Self::Norm => all.fold(0.0, |sum, x| sum + x * x).sqrt(),
            Self::Mean => all.fold(0.0, |sum, x| sum + x) / values.len() as f64,
            Self::Sum => all.fold(0.0, |sum, x| sum + x),
        }
    }
}

/// NaN if either is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// See src/kernels/converge/criterion.ts.
pub fn criterion(args: Args, frame: &mut Frame) {
    match args.optional::<f32>(0) {
        Some(values) => ask(values, args, frame),
        None => ask(args.read::<f64>(1), args, frame),
    }
}

fn ask<T: Copy + Into<f64>>(values: &[T], args: Args, frame: &Frame) {
    let width = args.number(2) as usize;
    let is_node = args.number(3) == NODE;
    let reduce = Reduce::new(args.number(4));
    let threshold = args.number(5);
    let met = args.change::<i32>(6);
    let owners = if is_node { frame.offsets[frame.systems] as usize } else { frame.systems };
    let each = if owners == 0 { 0 } else { values.len() / owners };
    for (s, atoms) in frame.awake() {
        let owned = if is_node { atoms } else { s..s + 1 };
        let largest = values[each * owned.start..each * owned.end]
            .chunks(width)
            .map(|entry| reduce.of(entry))
            .fold(f64::NEG_INFINITY, larger);
        // Neither does NaN meet it.
        if !matches!(largest.partial_cmp(&threshold), Some(order) if order.is_le()) {
            met[s] = 0;
        }
    }
}

/// See src/kernels/converge/graduate.ts.
pub fn graduate(args: Args, frame: &mut Frame) {
    let met = args.change::<i32>(0);
    let converged = args.change::<i32>(1);
    let status = args.change::<i32>(2);
    let (source, target, stop) = (args.number(3), args.number(4), args.number(5) != 0.0);
    for s in frame.block.clone() {
        let is_asked = frame.is_active(s) && (source < 0.0 || status[s] as f64 == source);
        let is_met = is_asked && met[s] != 0;
        converged[s] = is_met as i32;
        met[s] = 1;
        if !is_met {
            continue;
        }
        if target >= 0.0 {
            status[s] = target as i32;
        }
        if stop {
            frame.active[s] = 0;
        }
        frame.control[HALT] = 1;
    }
}

/// See src/kernels/converge/enter_stage.ts.
pub fn enter_stage(args: Args, frame: &mut Frame) {
    let awake = args.change::<i32>(0);
    let status = args.read::<i32>(1);
    let stages = args.number(2)..args.number(3);
    let notes = args.number(4) != 0.0;
    for s in frame.block.clone() {
        if notes {
            awake[s] = frame.active[s];
        }
        frame.active[s] = if stages.contains(&(status[s] as f64)) { awake[s] } else { 0 };
    }
}

/// See src/kernels/converge/count_stage.ts.
pub fn count_stage(args: Args, frame: &mut Frame) {
    let status = args.read::<i32>(0);
    let stage = args.change::<i32>(1);
    let steps = args.change::<i32>(2);
    let stages = args.number(3) as usize;
    for s in frame.block.clone() {
        stage[s] = status[s];
        if !frame.is_active(s) {
            continue;
        }
        let own = status[s] as usize;
        if own < stages {
            steps[stages * s + own] += 1;
            continue;
        }
        frame.active[s] = 0;
        frame.control[HALT] = 1;
    }
}

/// See src/kernels/converge/spend_budget.ts.
pub fn spend_budget(args: Args, frame: &mut Frame) {
    let status = args.change::<i32>(0);
    let (steps, begun) = (args.read::<i32>(1), args.read::<i32>(2));
    let spent = args.change::<i32>(3);
    let stages = args.number(4) as usize;
    let (first, end) = (args.number(5) as usize, args.number(6) as usize);
    let (budget, stop) = (args.number(7) as i32, args.number(8) != 0.0);
    for s in frame.block.clone() {
        spent[s] = 0;
        if !frame.is_active(s) || !(first..end).contains(&(status[s] as usize)) {
            continue;
        }
        let own = stages * s + first..stages * s + end;
        let done: i32 = own.map(|i| steps[i] - begun[i]).sum();
        if done < budget {
            continue;
        }
        spent[s] = 1;
        status[s] = end as i32;
        if stop {
            frame.active[s] = 0;
        }
        frame.control[HALT] = 1;
    }
}
