// A page with hooks and loops, without an engine.
export * from "@hooke/hooke/hooks";
