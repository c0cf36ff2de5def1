//! The program `switchlab`.

#[global_allocator]
static ALLOCATOR: switchlab_alloc::HugePages = switchlab_alloc::HugePages;

fn main() -> std::process::ExitCode {
    switchlab::main(&[])
}
