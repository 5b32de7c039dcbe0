//! Lets JavaScript put functions into the table of the module: see src/backend/wasm/pair_functions.ts.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=--export-table");
    println!("cargo::rustc-link-arg-cdylib=--growable-table");
}
