//! Thermostats.

pub mod chain;

use crate::args::Args;
use crate::constants::BOLTZMANN;
use crate::frame::Frame;
use crate::lanes::F4;
use crate::measure::twice_kinetic;
use crate::philox::{gaussians, uniform, Philox, RESCALING, THERMOSTAT};
use crate::thermostats::chain::Chain;
use crate::xyz::{padded, Xyz};

/// See src/kernels/thermostats/thermalize.ts.
pub fn thermalize(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let weights = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let temperature = args.read::<f32>(3);
    let friction = args.read::<f32>(4);
    let mut bath_energy = args.optional::<f64>(5);
    let philox = Philox::new([args.number(6) as u32, args.number(7) as u32]);
    for (s, atoms) in frame.awake().filter(|&(s, _)| friction[s] != 0.0) {
        let lost = friction[s] as f64 * dt[s] as f64;
        let energy = -(-2.0 * lost).exp_m1() * BOLTZMANN * temperature[s] as f64;
        let bath = Bath {
            keep: (-lost).exp() as f32,
            energy: energy as f32,
            noise: Noise { age: frame.ages[s] as u32, id: frame.ids[s] as u32, philox },
        };
        let (v, w) = (&mut velocities[3 * atoms.start..3 * atoms.end], &weights[atoms]);
        let before = bath_energy.as_ref().map(|_| twice_kinetic(v, w));
        bath.touch(v, w);
        if let (Some(energies), Some(before)) = (&mut bath_energy, before) {
            energies[s] += 0.5 * (before - twice_kinetic(v, w));
        }
    }
}

/// What the velocities of one system meet.
struct Bath {
    keep: f32,
    /// (1 − c₁²) k_B T.
    energy: f32,
    noise: Noise,
}

struct Noise {
    age: u32,
    id: u32,
    philox: Philox,
}

impl Bath {
    fn touch(&self, v: &mut [f32], weights: &[f32]) {
        let whole = weights.len() & !3;
        for a in (0..whole).step_by(4) {
            // There are three numbers in `v` for each weight.
            unsafe { self.touch_four(v.as_mut_ptr().add(3 * a), weights.as_ptr().add(a), a) };
        }
        if whole == weights.len() {
            return;
        }
        let rest = &mut v[3 * whole..];
        let mut last: [f32; 12] = padded(rest, 0.0);
        let w: [f32; 4] = padded(&weights[whole..], 0.0);
        unsafe { self.touch_four(last.as_mut_ptr(), w.as_ptr(), whole) };
        rest.copy_from_slice(&last[..rest.len()]);
    }

    /// # Safety
    /// There are twelve velocities and four weights.
    #[inline(always)]
    unsafe fn touch_four(&self, v: *mut f32, weights: *const f32, first: usize) {
        let Noise { age, id, philox } = self.noise;
        let width = (F4::splat(self.energy) * unsafe { F4::load(weights) }).sqrt();
        let noise = philox.gaussians(first as u32, age, id, THERMOSTAT).times(width);
        unsafe { Xyz::load(v).times(F4::splat(self.keep)).plus(noise).store(v) };
    }
}

/// See src/kernels/thermostats/nose_hoover.ts.
pub fn nose_hoover(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let weights = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let temperature = args.read::<f32>(3);
    let time = args.read::<f32>(4);
    let freedom = args.read::<i32>(5);
    let eta = args.change::<f64>(6);
    let eta_dot = args.change::<f64>(7);
    let bath_energy = args.change::<f64>(8);
    let (length, parts) = (args.number(9) as usize, args.number(10) as usize);
    for (s, atoms) in frame.awake().filter(|&(s, _)| freedom[s] > 0) {
        let kt = BOLTZMANN * temperature[s] as f64;
        let rest = kt * time[s] as f64 * time[s] as f64;
        let links = length * s..length * (s + 1);
        let mut chain = Chain {
            eta: &mut eta[links.clone()],
            eta_dot: &mut eta_dot[links],
            kt,
            freedom: freedom[s] as f64,
            first: freedom[s] as f64 * rest,
            rest,
        };
        let v = &mut velocities[3 * atoms.start..3 * atoms.end];
        let x = chain.advance(twice_kinetic(v, &weights[atoms]), dt[s] as f64 / 2.0, parts);
        grow(v, x.exp_m1() as f32);
        bath_energy[s] = chain.energy();
    }
}

/// See src/kernels/thermostats/velocity_rescale.ts.
pub fn velocity_rescale(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let weights = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let temperature = args.read::<f32>(3);
    let time = args.read::<f32>(4);
    let freedom = args.read::<i32>(5);
    let bath_energy = args.change::<f64>(6);
    let philox = Philox::new([args.number(7) as u32, args.number(8) as u32]);
    for (s, atoms) in frame.awake().filter(|&(s, _)| freedom[s] > 0) {
        let v = &mut velocities[3 * atoms.start..3 * atoms.end];
        let twice = twice_kinetic(v, &weights[atoms]);
        if twice == 0.0 {
            continue;
        }
        let noise = Noise { age: frame.ages[s] as u32, id: frame.ids[s] as u32, philox };
        let passed = dt[s] as f64 / time[s] as f64;
        let fresh = -(-passed).exp_m1() * BOLTZMANN * temperature[s] as f64 / twice;
        let growth = noise.growth(passed, fresh, freedom[s] - 1) as f32;
        grow(v, growth);
        let growth = growth as f64;
        bath_energy[s] -= 0.5 * twice * growth * (2.0 + growth);
    }
}

impl Noise {
    /// α − 1 after `passed` = dt/τ, without loss of digits where it is small; `fresh` = (1 − c) k_B T/2K.
    fn growth(&self, passed: f64, fresh: f64, across: i32) -> f64 {
        let (along, other) = gaussians(self.draw(0));
        let squares = match across {
            ..=0 => 0.0,
            1 => other * other,
            _ => self.squares(across as f64 / 2.0 - 1.0 / 3.0),
        };
        let root = ((-passed).exp() * fresh).sqrt();
        let change = (-passed).exp_m1() + fresh * (along * along + squares) + 2.0 * along * root;
        let alpha = (1.0 + change).max(0.0).sqrt();
        if along * fresh + root < 0.0 { -alpha - 1.0 } else { change.max(-1.0) / (1.0 + alpha) }
    }

    /// See src/kernels/thermostats/squares.ts.
    fn squares(&self, d: f64) -> f64 {
        for attempt in 1..=64 {
            let words = self.draw(attempt);
            let (x, _) = gaussians(words);
            let root = 1.0 + x / (9.0 * d).sqrt();
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            if uniform(words[2]).ln() < x * x / 2.0 + d * (1.0 - v + v.ln()) {
                return 2.0 * d * v;
            }
        }
        2.0 * d
    }

    fn draw(&self, count: u32) -> [u32; 4] {
        self.philox.four([count, self.age, self.id, RESCALING])
    }
}

/// v += growth v: a factor close to 1 would lose digits in f32, always the same way.
fn grow(v: &mut [f32], growth: f32) {
    v.iter_mut().for_each(|v| *v += growth * *v);
}

/// See src/kernels/thermostats/credit_bath.ts.
pub fn credit_bath(args: Args, frame: &mut Frame) {
    let velocities = args.read::<f32>(0);
    let before = args.read::<f32>(1);
    let weights = args.read::<f32>(2);
    let bath_energy = args.change::<f64>(3);
    for (s, atoms) in frame.awake() {
        let range = 3 * atoms.start..3 * atoms.end;
        let weights = &weights[atoms];
        let taken = twice_kinetic(&before[range.clone()], weights) - twice_kinetic(&velocities[range], weights);
        bath_energy[s] += 0.5 * taken;
    }
}
