//! Thermostats.

use crate::args::Args;
use crate::constants::BOLTZMANN;
use crate::frame::Frame;
use crate::lanes::F4;
use crate::philox::{Philox, THERMOSTAT};
use crate::xyz::{padded, Xyz};

/// See src/kernels/thermalize.ts.
pub fn thermalize(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let weights = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let temperature = args.read::<f32>(3);
    let friction = args.read::<f32>(4);
    let philox = Philox::new([args.number(5) as u32, args.number(6) as u32]);
    for (s, atoms) in frame.awake().filter(|&(s, _)| friction[s] != 0.0) {
        let lost = friction[s] as f64 * dt[s] as f64;
        let energy = -(-2.0 * lost).exp_m1() * BOLTZMANN * temperature[s] as f64;
        let bath = Bath {
            keep: (-lost).exp() as f32,
            energy: energy as f32,
            noise: Noise { age: frame.ages[s] as u32, id: frame.ids[s] as u32, philox },
        };
        bath.touch(&mut velocities[3 * atoms.start..3 * atoms.end], &weights[atoms]);
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
