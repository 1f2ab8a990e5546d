//! Programs that are still running.
use std::process::{Child, Command};

use crate::programs::{Picture, Screen};

/// Far more pictures than a person could wait for; far fewer than would hang a broken test for ever.
const LONGEST_WAIT: u32 = 200_000;

/// A program that is ended when the test is over, however it ends.
#[derive(Debug)]
pub struct Running(Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self(command.spawn().expect("the program starts"))
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Polls the display until `enough` returns true.
    pub fn wait_for_picture(&mut self, screen: &Screen, enough: impl Fn(&Picture) -> bool) {
        for _ in 0..LONGEST_WAIT {
            let picture = screen.picture();
            if enough(&picture) {
                return;
            }
            let ended = self.0.try_wait().expect("the program's state");
            assert!(ended.is_none(), "it ended without a picture: {ended:?}");
        }
        panic!("no picture: {} colours, {} pixels lit", screen.picture().colours(), screen.picture().lit());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
