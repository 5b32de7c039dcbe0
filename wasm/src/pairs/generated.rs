//! Pair potentials whose functions are generated at run time: see src/backend/wasm/pair_functions.ts.

use wasm_bindgen::prelude::*;

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{F4, U4};
use crate::pairs::clusters::NOBODY;
use crate::pairs::domains::Domain;
use crate::pairs::exclusions::{Excluded, TYPE_BITS};
use crate::pairs::list::Copy4;
use crate::pairs::sum::{ALL, LATER};
use crate::pairs::system::{push, sum_systems, switch_off, PairSystem, Switch};
use crate::pairs::vectors::{square, sums, ZERO};

/// Length of a copy, in vectors.
const COPY: usize = size_of::<Copy4>() / size_of::<F4>();

/// A generated function: the pairs of one atom with its own cluster first, then with all copies of its row. It writes
/// −(dE/dr)/r, and maybe energies, of four pairs each.
type Evaluate = unsafe extern "C" fn(
    x: f32,
    y: f32,
    z: f32,
    own: *const Copy4,
    entries: *const *mut Copy4,
    end: *const *mut Copy4,
    parameters: *const F4,
    copies: *const Copy4,
    ratio: usize,
    slopes: *mut F4,
    energies: *mut F4,
);

/// Offsets of the variants of a generated function.
const WITH_ENERGIES: usize = 1;
const WITH_TYPES: usize = 2;

/// Returns the table of the functions that kernels can call. JavaScript adds generated functions to it.
#[wasm_bindgen(unchecked_return_type = "WebAssembly.Table")]
pub fn function_table() -> JsValue {
    // wasm-bindgen keeps the table in its output for this intrinsic; an export by the linker alone would be removed.
    wasm_bindgen::function_table()
}

/// The rows of one domain.
struct Rows<'a> {
    domain: &'a mut Domain,
    /// The atom of each lane of the domain.
    order: &'a [u32],
    species: &'a [i32],
    stride: usize,
    evaluate: Evaluate,
    /// One row for all pairs, or one for each copy and type of the atom that meets it.
    parameters: &'a [F4],
    /// Length of a row.
    width: usize,
    types: usize,
    switch: Switch,
    /// Place of its own list of excluded pairs.
    exclusions: Option<usize>,
    slopes: *mut F4,
    energies: *mut F4,
}

/// See src/kernels/pairs/pair_potential.ts.
pub fn pair_potential(args: Args, frame: &mut Frame) {
    let functions = args.number(11) as usize;
    let numbers_each = args.number(12) as usize;
    sum_systems(args, frame, |system| {
        let PairSystem { pairs, domain, species, stride, numbers, switch, wants_energy, scratch } = system;
        let types = (numbers.len() / numbers_each).isqrt();
        let exclusions = if stride > 1 { Some(domain.exclude(pairs, species, stride)) } else { None };
        // Rows begin at a multiple of what copies begin at.
        let width = numbers_each.next_multiple_of(COPY);
        let order = &pairs.order;
        fill_parameters(&mut scratch.parameters, order, domain, numbers, [numbers_each, width, types, stride], species);
        let room = scratch.begun.len() + 1;
        scratch.values.resize(2 * room, F4::splat(0.0));
        let slopes = scratch.values.as_mut_ptr();
        let needs_energies = wants_energy || switch.is_on();
        let which = if needs_energies { WITH_ENERGIES } else { 0 } + if types > 1 { WITH_TYPES } else { 0 };
        let evaluate = unsafe { core::mem::transmute::<usize, Evaluate>(functions + which) };
        let energies = unsafe { slopes.add(room) };
        let parameters = &scratch.parameters;
        let order = &order[domain.lanes()];
        let mut rows = Rows {
            domain,
            order,
            species,
            stride,
            evaluate,
            parameters,
            width,
            types,
            switch,
            exclusions,
            slopes,
            energies,
        };
        match (needs_energies, switch.is_on()) {
            (false, _) => rows.sum::<false, false>(numbers_each),
            (true, false) => rows.sum::<true, false>(numbers_each),
            (true, true) => rows.sum::<true, true>(numbers_each),
        }
    });
}

/// With one type a single row; else one for each copy and each type that may meet it.
fn fill_parameters(
    to: &mut Vec<F4>,
    order: &[u32],
    domain: &Domain,
    numbers: &[f32],
    [each, width, types, stride]: [usize; 4],
    species: &[i32],
) {
    to.clear();
    if types == 1 {
        return to.extend(numbers.iter().map(|&x| F4::splat(x)));
    }
    let ghosts = domain.ghosts.iter().map(|ghost| ghost.cluster as usize);
    for c in (domain.first..domain.last).chain(ghosts).chain([0]) {
        let own = [0, 1, 2, 3].map(|lane| match order[4 * c + lane] {
            NOBODY => 0,
            atom => (species[stride * atom as usize] & TYPE_BITS) as usize,
        });
        for t in 0..types {
            let rows = own.map(|u| &numbers[(t * types + u) * each..][..each]);
            to.extend((0..each).map(|k| F4::new(rows[0][k], rows[1][k], rows[2][k], rows[3][k])));
            to.resize(to.len() + width - each, F4::splat(0.0));
        }
    }
}

impl Rows<'_> {
    /// Row after row: one atom with all copies that it meets. Forces on it stay in registers meanwhile.
    #[inline(never)]
    fn sum<const E: bool, const S: bool>(&mut self, each: usize) -> f64 {
        let copies = self.domain.copies.as_mut_ptr();
        let ratio = self.types * (self.width / COPY);
        let mut total = 0.0;
        let excluded = self.exclusions.map_or(&[][..], |place| &self.domain.exclusions[place].pairs);
        let mut excluded = excluded.iter().peekable();
        // hot
        for c in 0..self.domain.clusters() {
            let mut forces = [[F4::splat(0.0); 4]; 3];
            for p in 0..4 {
                let row = 4 * c + p;
                let atom = self.order[row];
                if atom == NOBODY {
                    break;
                }
                let from = self.domain.rows.starts[row] as usize;
                let to = self.domain.rows.starts[row + 1] as usize;
                let entries = &self.domain.rows.entries[from..to];
                let own_type = if self.types > 1 {
                    (self.species[self.stride * atom as usize] & TYPE_BITS) as usize
                } else {
                    0
                };
                let (f, energy) = unsafe {
                    let own = copies.add(c);
                    let x = (&raw const (*own).x) as *const f32;
                    let parameters = self.parameters.as_ptr().add(own_type * self.width);
                    let range = entries.as_ptr_range();
                    (self.evaluate)(
                        *x.add(p),
                        *x.add(4 + p),
                        *x.add(8 + p),
                        own,
                        range.start,
                        range.end,
                        parameters,
                        copies,
                        ratio,
                        self.slopes,
                        self.energies,
                    );
                    let later = if p < 3 { LATER[p] } else { U4::splat(0) };
                    *self.slopes = (*self.slopes).only(later);
                    if E {
                        *self.energies = (*self.energies).only(later);
                    }
                    while let Some(one) = excluded.next_if(|one| one.row as usize == row) {
                        self.scale::<E>(one);
                    }
                    let limit = |at: *mut Copy4| {
                        let bytes =
                            if self.types > 1 { (at as usize - copies as usize) * ratio } else { 0 };
                        *parameters.byte_add(bytes).add(each - 2)
                    };
                    let x = [0, 1, 2].map(|d| F4::load_splat(x.add(4 * d + p)));
                    let mut f = ZERO;
                    let mut energy = F4::splat(0.0);
                    if p < 3 {
                        self.add::<E, S>(0, own, later, &x, limit, &mut f, &mut energy);
                    }
                    for (k, &other) in entries.iter().enumerate() {
                        self.add::<E, S>(k + 1, other, ALL, &x, limit, &mut f, &mut energy);
                    }
                    (f, energy)
                };
                for d in 0..3 {
                    forces[d][p] = f[d];
                }
                if E {
                    let [a, b, c, d] = energy.to_array().map(f64::from);
                    total += (a + b) + (c + d);
                }
            }
            let copy = unsafe { &mut *copies.add(c) };
            for d in 0..3 {
                copy.f[d] = copy.f[d] + sums(forces[d]);
            }
        }
        total
    }

    /// Multiplies what an excluded pair has; an excluded pair gives nothing even where its energy is no number.
    #[inline(always)]
    unsafe fn scale<const E: bool>(&self, one: &Excluded) {
        let scaled = |values: *mut F4| {
            let value = values.cast::<f32>().add(one.at as usize);
            *value = if one.scale == 0.0 { 0.0 } else { one.scale * *value };
        };
        scaled(self.slopes);
        if E {
            scaled(self.energies);
        }
    }

    /// Adds the k-th four pairs of a row, as they were evaluated.
    #[inline(always)]
    unsafe fn add<const E: bool, const S: bool>(
        &self,
        k: usize,
        other: *mut Copy4,
        lanes: U4,
        x: &[F4; 3],
        limit: impl Fn(*mut Copy4) -> F4,
        f: &mut [F4; 3],
        energy: &mut F4,
    ) {
        let r = [0, 1, 2].map(|d| x[d] - (*other).x[d]);
        let mut slope = *self.slopes.add(k);
        if E {
            let mut e = *self.energies.add(k);
            if S {
                let limit = limit(other);
                let square = square(x, &(*other).x);
                let mask = square.below(limit) & lanes;
                (slope, e) = switch_off(square, mask, slope, e, limit, self.switch);
            }
            *energy = *energy + e;
        }
        push(r, slope, f, other);
    }
}
