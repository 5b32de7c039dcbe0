//! What is done alike to every number of some arrays, four at a time: a number's bits depend on nothing but what stands
//! at its own place.

use crate::lanes::F4;

/// How many fours a turn of a loop does.
const BLOCK: usize = 4;

/// How many numbers a call of the loop does: where a module has just been loaded, its functions run slowly until they
/// have been called a few times.
const CHUNK: usize = 1 << 16;

/// Puts what `rule` makes of the numbers at each place of both into `changed`. All arrays are of one length.
#[inline(always)]
pub fn each<const C: usize, const R: usize>(
    changed: [&mut [f32]; C],
    read: [&[f32]; R],
    rule: impl Fn([F4; C], [F4; R]) -> [F4; C] + Copy,
) {
    let count = changed[0].len();
    let (mut to, mut from) = (changed.map(|x| x.as_mut_ptr()), read.map(|x| x.as_ptr()));
    // As many are left of all.
    unsafe {
        for _ in 0..count / CHUNK {
            fours(to, from, CHUNK / 4, rule);
            (to, from) = (to.map(|x| x.add(CHUNK)), from.map(|x| x.add(CHUNK)));
        }
        let left = count % CHUNK;
        fours(to, from, left / 4, rule);
        let (done, rest) = (left & !3, left & 3);
        few(to.map(|x| x.add(done)), from.map(|x| x.add(done)), rest, rule);
    }
}

/// # Safety
/// There are `count` times four in each.
#[inline(never)]
unsafe fn fours<const C: usize, const R: usize>(
    mut to: [*mut f32; C],
    mut from: [*const f32; R],
    count: usize,
    rule: impl Fn([F4; C], [F4; R]) -> [F4; C],
) {
    unsafe {
        for _ in 0..count / BLOCK {
            for i in 0..BLOCK {
                four(to.map(|x| x.add(4 * i)), from.map(|x| x.add(4 * i)), &rule);
            }
            (to, from) = (to.map(|x| x.add(4 * BLOCK)), from.map(|x| x.add(4 * BLOCK)));
        }
        for _ in 0..count % BLOCK {
            four(to, from, &rule);
            (to, from) = (to.map(|x| x.add(4)), from.map(|x| x.add(4)));
        }
    }
}

/// # Safety
/// There are four in each.
#[inline(always)]
unsafe fn four<const C: usize, const R: usize>(
    to: [*mut f32; C],
    from: [*const f32; R],
    rule: &impl Fn([F4; C], [F4; R]) -> [F4; C],
) {
    unsafe {
        let made = rule(to.map(|x| F4::load(x)), from.map(|x| F4::load(x)));
        for (at, new) in to.into_iter().zip(made) {
            new.store(at);
        }
    }
}

/// # Safety
/// There are `count` in each, fewer than four.
#[inline(always)]
unsafe fn few<const C: usize, const R: usize>(
    to: [*mut f32; C],
    from: [*const f32; R],
    count: usize,
    rule: impl Fn([F4; C], [F4; R]) -> [F4; C],
) {
    let padded = |at: *const f32| {
        let mut lanes = [0.0; 4];
        for (i, lane) in lanes.iter_mut().enumerate().take(count) {
            *lane = unsafe { *at.add(i) };
        }
        let [a, b, c, d] = lanes;
        F4::new(a, b, c, d)
    };
    let made = rule(to.map(|x| padded(x)), from.map(padded));
    for (at, new) in to.into_iter().zip(made) {
        for (i, x) in new.to_array().into_iter().enumerate().take(count) {
            unsafe { *at.add(i) = x };
        }
    }
}
