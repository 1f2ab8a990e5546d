//! Users of process-wide state: global commands in progress, and instances.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{add, read};

/// The number of users that have entered, and the number that have left.
///
/// Two counters are needed to notice a user that enters and leaves while the memory is being collected.
pub(super) struct Users {
    come: AtomicUsize,
    gone: AtomicUsize,
}

/// A user. Process-wide state stays while this value lives.
#[must_use]
pub struct User(&'static Users);

/// A moment in which the loader had no user.
pub(super) struct Idle<'a> {
    users: &'a Users,
    come: usize,
}

impl Users {
    pub(super) const fn new() -> Self {
        Self { come: AtomicUsize::new(0), gone: AtomicUsize::new(0) }
    }

    /// Adds a user.
    pub(super) fn come(&'static self) -> User {
        self.come.fetch_add(1, Ordering::Relaxed);
        User(self)
    }

    /// Returns `None` if the loader has users.
    pub(super) fn idle(&self) -> Option<Idle<'_>> {
        // Everything that users did before they left has happened before the code below.
        let gone = read(&self.gone);
        let come = self.come.load(Ordering::Relaxed);
        (come == gone).then_some(Idle { users: self, come })
    }
}

impl Drop for User {
    fn drop(&mut self) {
        add(&self.0.gone, 1);
    }
}

impl Idle<'_> {
    /// Returns whether no user has entered since. A user that has seen a value taken out of a lock in between
    /// entered before that lock was taken, and is counted here.
    pub(super) fn lasts(&self) -> bool {
        self.users.come.load(Ordering::Relaxed) == self.come
    }
}

#[cfg(test)]
mod tests {
    use super::Users;

    #[test]
    fn a_user_that_came_and_went_ends_the_idle_moment() {
        static USERS: Users = Users::new();
        let idle = USERS.idle().expect("no user");
        assert!(idle.lasts());
        let user = USERS.come();
        assert!(USERS.idle().is_none() && !idle.lasts());
        drop(user);
        assert!(USERS.idle().is_some_and(|idle| idle.lasts()) && !idle.lasts());
    }
}
