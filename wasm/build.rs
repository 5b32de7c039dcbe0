//! Lets JavaScript grow the table of functions: see `function_table` in src/pairs/generated.rs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=--growable-table");
}
