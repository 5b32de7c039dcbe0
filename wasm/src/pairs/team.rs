//! Threads that share the work on the pairs of large systems. Each thread holds all systems in its own memory, runs
//! the same program, and computes only some of the domains. JavaScript copies the results between threads.

use core::cell::Cell;
use core::slice::from_mut;

/// Copies parcels from the memory of their owner to those of all other threads. Returns once all have arrived.
type Share = unsafe extern "C" fn(team: u32, parcels: *const Parcel, count: usize);

/// Numbers that one thread sends to all others. They have the same length on all threads.
#[repr(C)]
pub struct Parcel {
    at: *mut u8,
    bytes: usize,
    /// The member of the team that sends the numbers.
    owner: u32,
}

/// Consecutive numbers.
pub trait Numbers {
    type Number: Copy;
    fn numbers(&mut self) -> &mut [Self::Number];
}

impl<T: Copy> Numbers for Vec<T> {
    type Number = T;
    fn numbers(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Copy, const N: usize> Numbers for [T; N] {
    type Number = [T; N];
    fn numbers(&mut self) -> &mut [[T; N]] {
        from_mut(self)
    }
}

impl Parcel {
    /// The parcel of numbers of the k-th domain.
    pub fn of(team: &Team, k: usize, numbers: &mut impl Numbers) -> Self {
        let numbers = numbers.numbers();
        Self { at: numbers.as_mut_ptr().cast(), bytes: size_of_val(numbers), owner: team.owner(k) }
    }
}

/// A team of threads, and the index of this thread within it.
pub struct Team {
    /// Id of the team in JavaScript.
    id: u32,
    member: u32,
    size: u32,
    share: Share,
    /// Parcels of the current exchange. They are kept, so that an exchange allocates nothing.
    parcels: Cell<Vec<Parcel>>,
}

impl Team {
    /// `share`: index of a function in the table.
    pub fn new(id: u32, member: u32, size: u32, share: usize) -> Self {
        // JavaScript has added a function with these arguments at that index.
        let share = unsafe { core::mem::transmute::<usize, Share>(share) };
        Self { id, member, size, share, parcels: Cell::default() }
    }

    /// The member that computes the k-th domain. Members take turns forward and then backward, so that they have equal
    /// work if the domains grow or shrink steadily.
    pub fn owner(&self, k: usize) -> u32 {
        let place = k as u32 % (2 * self.size);
        if place < self.size { place } else { 2 * self.size - 1 - place }
    }

    /// Returns true if this thread computes the k-th domain.
    pub fn owns(team: Option<&Self>, k: usize) -> bool {
        team.is_none_or(|team| team.owner(k) == team.member)
    }

    /// Exchanges parcels with all other members.
    pub fn share(&self, parcels: impl Iterator<Item = Parcel>) {
        let mut kept = self.parcels.take();
        kept.clear();
        kept.extend(parcels);
        unsafe { (self.share)(self.id, kept.as_ptr(), kept.len()) };
        self.parcels.set(kept);
    }
}
