//! A command line with one switch more:
//! `cargo run -p own-scheduler -- run oq islip lottery --ports 16 --load 0.6`.

fn main() -> std::process::ExitCode {
    switchlab::main(&[&own_scheduler::LOTTERY])
}
