//! A line on a terminal while a run takes its time. Whoever does not look at a terminal, or waits less than a second, sees none.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Before this nobody wonders.
const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(500);

/// Shows the line as long as it lives, and takes it back at its end.
pub struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// `wanted` is what the user says; the terminal has to agree.
    pub fn start(wanted: bool) -> Progress {
        let dumb = std::env::var("TERM").is_ok_and(|t| t == "dumb");
        if !wanted || dumb || !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let (end, ended) = mpsc::channel::<()>();
        let began = Instant::now();
        let show = move || {
            let mut wait = PATIENCE;
            let mut shown = false;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(std::io::stderr(), "\r\u{1b}[Kchecking for {} s", began.elapsed().as_secs());
                let _ = std::io::stderr().flush();
                (wait, shown) = (BETWEEN, true);
            }
            if shown {
                let _ = write!(std::io::stderr(), "\r\u{1b}[K");
            }
        };
        // Without a thread there is no line, and the run goes on.
        let thread = std::thread::Builder::new().name("progress".into()).spawn(show);
        Progress(thread.ok().map(|thread| (end, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}
