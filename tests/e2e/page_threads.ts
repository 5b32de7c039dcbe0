// The script of the workers for a page's threads: a bundler makes a file of it.
import "@hooke/hooke/backend/worker";
