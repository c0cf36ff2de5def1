//! The program `switchlab`.

#[global_allocator]
static ALLOCATOR: switchlab_pages::HugePages = switchlab_pages::HugePages;

fn main() -> std::process::ExitCode {
    switchlab::main(&[])
}
