//! Nosé–Hoover chains, for whatever they are driven by: see src/kernels/thermostats/nose_hoover_chain.ts.

/// Outer part of three, 1/(2 − ∛2), and of five, 1/(4 − ∛4).
const THIRD: f64 = 1.351_207_191_959_657_8;
const FIFTH: f64 = 0.414_490_771_794_375_7;

const ONE: &[f64] = &[1.0];
const THREE: &[f64] = &[THIRD, 1.0 - 2.0 * THIRD, THIRD];
const FIVE: &[f64] = &[FIFTH, FIFTH, 1.0 - 4.0 * FIFTH, FIFTH, FIFTH];

/// A chain of thermostats: its state, and what it holds to which temperature.
pub struct Chain<'a> {
    /// ∫ η̇ of each link.
    pub eta: &'a mut [f64],
    /// The rate of each, 1/fs.
    pub eta_dot: &'a mut [f64],
    /// k_B T, eV.
    pub kt: f64,
    /// The degrees of freedom that it holds to T.
    pub freedom: f64,
    /// Q₁, eV fs².
    pub first: f64,
    /// Q of all other links.
    pub rest: f64,
}

impl Chain<'_> {
    /// Moves on over a time, in 1, 3 or 5 parts, driven by twice a kinetic energy; answers with x: v e^x.
    pub fn advance(&mut self, twice: f64, time: f64, parts: usize) -> f64 {
        let parts = match parts {
            3 => THREE,
            5 => FIVE,
            _ => ONE,
        };
        let (mut left, mut total) = (twice, 0.0);
        for part in parts {
            let step = part * time;
            for k in (0..self.eta.len()).rev() {
                self.push(k, left, step);
            }
            let x = -step * self.eta_dot[0];
            let growth = x.exp_m1();
            left += left * growth * (2.0 + growth);
            total += x;
            self.eta.iter_mut().zip(self.eta_dot.iter()).for_each(|(eta, rate)| *eta += step * rate);
            for k in 0..self.eta.len() {
                self.push(k, left, step);
            }
        }
        total
    }

    /// Half a step of the rate of one link, damped by the next.
    fn push(&mut self, k: usize, twice: f64, step: f64) {
        let force = match k {
            0 => (twice - self.freedom * self.kt) / self.first,
            _ => {
                let before = if k == 1 { self.first } else { self.rest };
                (before * self.eta_dot[k - 1] * self.eta_dot[k - 1] - self.kt) / self.rest
            }
        };
        let decay = self.eta_dot.get(k + 1).map_or(1.0, |rate| (-step / 4.0 * rate).exp());
        self.eta_dot[k] = (self.eta_dot[k] * decay + step / 2.0 * force) * decay;
    }

    /// What the chain has, eV.
    pub fn energy(&self) -> f64 {
        let mut energy = self.first * self.eta_dot[0] * self.eta_dot[0] / 2.0 + self.freedom * self.kt * self.eta[0];
        for (eta, rate) in self.eta.iter().zip(self.eta_dot.iter()).skip(1) {
            energy += self.rest * rate * rate / 2.0 + self.kt * eta;
        }
        energy
    }
}
