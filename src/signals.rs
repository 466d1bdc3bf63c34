//! Ending when the system asks for it: SIGTERM and SIGINT.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::failure::{Failure, RESTART, SOFTWARE};
use crate::terminal;

/// A flag that is set when the program is asked to end. When it still runs `limit` after that, whatever hangs, it ends
/// at once with an exit code that says so. A second SIGINT or SIGTERM ends it at once.
pub(crate) fn stop_flag(limit: Duration) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let failure = |error| Failure::caused(SOFTWARE, "the system takes no signal handler", error);
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        // The second signal finds the flag set by the first.
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(RESTART), Arc::clone(&stop))
            .map_err(failure)?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failure)?;
    }
    let watched = Arc::clone(&stop);
    std::thread::Builder::new()
        .name("end".to_owned())
        .spawn(move || watch(&watched, limit))
        .map_err(failure)?;
    Ok(stop)
}

fn watch(stop: &AtomicBool, limit: Duration) {
    const LOOK_EVERY: Duration = Duration::from_millis(100);
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_EVERY);
    }
    let asked = Instant::now();
    while asked.elapsed() < limit {
        std::thread::sleep(LOOK_EVERY);
    }
    terminal::error(
        "ending did not come to its end in time; what was not committed is done again by the next run",
    );
    std::process::exit(i32::from(RESTART));
}
