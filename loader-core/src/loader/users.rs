//! The users of what the process owns: global commands in progress, and instances.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{add, read};

/// How many users there have been, and how many of them have gone.
///
/// Two counts, since a user that comes and goes while the memory is collected has to be noticed as well.
pub(super) struct Users {
    come: AtomicUsize,
    gone: AtomicUsize,
}

/// What the process owns stays as long as this lives.
#[must_use]
pub struct User(&'static Users);

/// A moment in which there was no user.
pub(super) struct Idle<'a> {
    users: &'a Users,
    come: usize,
}

impl Users {
    pub(super) const fn new() -> Self {
        Self { come: AtomicUsize::new(0), gone: AtomicUsize::new(0) }
    }

    /// One more.
    pub(super) fn come(&'static self) -> User {
        self.come.fetch_add(1, Ordering::Relaxed);
        User(self)
    }

    /// `None` if there are users.
    pub(super) fn idle(&self) -> Option<Idle<'_>> {
        // What users did before they left has happened before what follows.
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
    /// Whether no user has come since. A user that has seen a value taken out of a lock in between came
    /// before that lock was taken, and is counted here.
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
