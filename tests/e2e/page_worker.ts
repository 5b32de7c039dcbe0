// The script of a worker for a page's sessions: a bundler makes a file of it.
import "@hooke/hooke/onnx/worker";
