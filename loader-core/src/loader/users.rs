//! Users of process-wide state: global commands in progress, and instances.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{add, read};

/// The number of users that have entered, and the number that have left.
///
/// Two counters are needed to notice a user that enters and leaves while the memory is being collected.
pub(super) struct Users {
    entered: AtomicUsize,
    left: AtomicUsize,
}

/// A user. Process-wide state stays while this value lives.
#[must_use]
pub struct User(&'static Users);

/// A moment in which the loader had no user.
pub(super) struct Idle<'a> {
    users: &'a Users,
    entered: usize,
}

impl Users {
    pub(super) const fn new() -> Self {
        Self { entered: AtomicUsize::new(0), left: AtomicUsize::new(0) }
    }

    pub(super) fn enter(&'static self) -> User {
        self.entered.fetch_add(1, Ordering::Relaxed);
        User(self)
    }

    /// Returns `None` if the loader has users.
    pub(super) fn idle(&self) -> Option<Idle<'_>> {
        // Everything that users did before they left has happened before the code below.
        let left = read(&self.left);
        let entered = self.entered.load(Ordering::Relaxed);
        (entered == left).then_some(Idle { users: self, entered })
    }
}

impl Drop for User {
    fn drop(&mut self) {
        add(&self.0.left, 1);
    }
}

impl Idle<'_> {
    /// Returns whether no user has entered since. A user that has seen a value taken out of a lock in between
    /// entered before that lock was taken, and is counted here.
    pub(super) fn still_holds(&self) -> bool {
        self.users.entered.load(Ordering::Relaxed) == self.entered
    }
}

#[cfg(test)]
mod tests {
    use super::Users;

    #[test]
    fn a_user_that_came_and_went_ends_the_idle_moment() {
        static USERS: Users = Users::new();
        let idle = USERS.idle().expect("no user");
        assert!(idle.still_holds());
        let user = USERS.enter();
        assert!(USERS.idle().is_none() && !idle.still_holds());
        drop(user);
        assert!(USERS.idle().is_some_and(|idle| idle.still_holds()) && !idle.still_holds());
    }
}
